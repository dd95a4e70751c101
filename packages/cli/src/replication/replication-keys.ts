import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { fromHex } from "@cambium/primitives";
import { CliError } from "../errors.js";
import { requireFile } from "../options.js";
import { plainReason } from "../system-errors.js";

/** Maximum size of a key file, in bytes. */
const MAX_BYTES = 1_024;
/** Maximum number of keys: the current one, and another one while the key is being changed. */
const MAX_KEYS = 2;
/** Mode bits that make a key file unusable: any access of others, write access of the group. */
const FORBIDDEN = 0o027;

/**
 * Reads the keys in a file: one key of 64 hexadecimal digits a line. Returns none if no file is given. Throws
 * {@link CliError} `FILE_NOT_FOUND`, `FILE_UNREADABLE` or `KEY_FILE`.
 */
export function replicationKeys(path: string | undefined): Uint8Array[] {
  if (path === undefined) return [];
  requireFile(path);
  const lines = readPrivate(path)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const isValid = lines.length > 0 && lines.length <= MAX_KEYS && lines.every((line) => /^[0-9a-fA-F]{64}$/.test(line));
  if (!isValid) {
    throw new CliError({
      code: "KEY_FILE",
      path,
      reason: "expected one key of 64 hexadecimal digits, or two lines of them",
    });
  }
  return lines.map(fromHex);
}

/** Checks and reads the same open file, so that it cannot be replaced between the two. */
function readPrivate(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const { mode, size } = fstatSync(file);
    if (process.platform !== "win32" && (mode & FORBIDDEN) !== 0) {
      const reason = `others may read or write it (mode ${(mode & 0o777).toString(8)}): run "chmod 600 ${path}"`;
      throw new CliError({ code: "KEY_FILE", path, reason });
    }
    if (size > MAX_BYTES) throw new CliError({ code: "KEY_FILE", path, reason: `it has ${size} bytes` });
    return readFileSync(file, "latin1");
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError({ code: "FILE_UNREADABLE", path, reason: plainReason(error) });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
