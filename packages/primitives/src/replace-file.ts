import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Options of {@link replaceFile}. */
export interface ReplaceOptions {
  /** Path of the temporary file, in the same file system. */
  partial?: string;
  /** Permissions of the file, such as 0o600. */
  mode?: number;
  /** Whether to wait until the new content is on disk before it replaces the old. */
  flush?: boolean;
}

/**
 * Replaces the content of a file in one step: a reader, or a start after a crash, sees either the old content or the
 * new. If that fails, the old content stays and the temporary file is removed. Throws errors of the file system.
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
