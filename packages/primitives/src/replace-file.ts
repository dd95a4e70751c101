import { renameSync, rmSync, writeFileSync } from "node:fs";

export interface ReplaceOptions {
  /** Path of the temporary file, in the same file system. */
  partial?: string;
  mode?: number;
  /** Whether the content is on disk before it replaces the former. */
  flush?: boolean;
}

/**
 * Replaces the content of a file at once: other processes and a start after a crash see the former or the new one. A
 * failure leaves the former, and no temporary file. Throws errors of the file system.
 */
export function replaceFile(
  path: string,
  content: Uint8Array | string,
  { partial = `${path}.new`, ...options }: ReplaceOptions = {},
): void {
  try {
    writeFileSync(partial, content, options);
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
