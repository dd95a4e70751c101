import { chmodSync, mkdirSync, statSync } from "node:fs";

/** Permissions of everyone but the owner. */
const OTHERS = 0o077;
/** Umask at the start of the process; undefined until {@link writePrivately} changes it. */
let operatorUmask: number | undefined;

/**
 * Creates a data folder that only its owner may enter. An existing folder keeps its mode. See {@link writePrivately}.
 */
export function makeDataFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writePrivately(path);
}

/**
 * Makes all files that this process creates from now on, LevelDB's too, readable by their owner only. Does nothing if
 * others may enter the data folder: its operator wants that. Windows has no such modes.
 */
export function writePrivately(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && (stats.mode & OTHERS) === 0) operatorUmask ??= process.umask(OTHERS);
}

/** Sets the mode of a new file outside of the data folder, as the umask at the start of the process allows. */
export function setNamedFileMode(path: string, mode = 0o666): void {
  if (operatorUmask !== undefined) chmodSync(path, mode & ~operatorUmask);
}
