import { chmodSync, mkdirSync, statSync } from "node:fs";

/** Rights of all others than the owner. */
const OTHERS = 0o077;
/** Of the process at its start; undefined until {@link writePrivately} has changed it. */
let operatorUmask: number | undefined;

/** Creates a data folder that only its owner may enter; one that exists keeps its mode. See {@link writePrivately}. */
export function makeDataFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writePrivately(path);
}

/**
 * Makes all files that this process creates from now on, also those of LevelDB, readable by the owner only, if the data folder is. If others may
 * enter the folder, its operator wants that, and the umask decides as before. Windows has no such modes.
 */
export function writePrivately(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined && (stats.mode & OTHERS) === 0) operatorUmask ??= process.umask(OTHERS);
}

/** Gives a new file that the operator has named, which may be for others, the mode that the umask of the process's start allows. */
export function setNamedFileMode(path: string, mode = 0o666): void {
  if (operatorUmask !== undefined) chmodSync(path, mode & ~operatorUmask);
}
