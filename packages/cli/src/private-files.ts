import { chmodSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@cambium/database";
import { CliError } from "./errors.js";
import { reasonAndRemedy } from "./system-errors.js";

/** Permissions of everyone but the owner. */
const OTHERS = 0o077;
/** Umask at the start of the process; undefined until {@link writePrivately} changes it. */
let operatorUmask: number | undefined;

/**
 * Creates a data folder that only its owner may enter. An existing folder keeps its mode. See {@link writePrivately}.
 * Throws {@link CliError} `FILE_UNWRITABLE`.
 */
export function makeDataFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
    // Fails now rather than later, when the error would name a file that the operator does not know.
    rmdirSync(mkdtempSync(join(path, "writable-")));
  } catch (error) {
    throw new CliError({ code: "FILE_UNWRITABLE", path, reason: reasonAndRemedy(error) });
  }
  writePrivately(path);
}

/**
 * Makes all files that this process creates from now on, including LevelDB's, readable by their owner only. Does
 * nothing if others may enter the data folder, because its operator has chosen that. Windows has no such modes.
 */
export function writePrivately(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && (stats.mode & OTHERS) === 0) operatorUmask ??= process.umask(OTHERS);
}

/** Sets the mode of a new file outside of the data folder, as the umask at the start of the process allows. */
export function setNamedFileMode(path: string, mode = 0o666): void {
  if (operatorUmask !== undefined) chmodSync(path, mode & ~operatorUmask);
}
