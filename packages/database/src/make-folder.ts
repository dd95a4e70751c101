import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Creates a folder and those above it that are missing. Throws errors of the operating system. */
export function makeFolder(path: string, mode?: number): void {
  const missing = [resolve(path)];
  for (let above = dirname(missing[0]!); !existsSync(above); above = dirname(above)) missing.push(above);
  // Create the folders one at a time: with the option `recursive`, Node.js would try for ever where no folder can be
  // created, as in /proc.
  for (const folder of missing.reverse()) makeMissing(folder, mode);
}

/** Accepts a folder that exists, also because another process has just created it. */
function makeMissing(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
