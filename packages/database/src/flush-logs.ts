import { open } from "node:fs/promises";
import { join } from "node:path";
import { databaseFiles } from "./integrity/database-files.js";
import type { Level } from "./level-opening.js";

/**
 * Flushes LevelDB's logs from the operating system's memory to the disk. Unlike LevelDB's own flush, this does not
 * block writes. LevelDB passes each write to the operating system before it returns. On Windows, no other handle can
 * open its log, so LevelDB flushes it, with an entry that is written again.
 */
export async function flushLogs(level: Level, { key, value }: { key: Uint8Array; value: Uint8Array }): Promise<void> {
  if (process.platform === "win32") return level.put(key, value, { sync: true });
  const { location } = level;
  for (const name of databaseFiles(location).logs.values()) await flushFile(join(location, name));
}

async function flushFile(path: string): Promise<void> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, "r+");
  } catch (error) {
    // LevelDB deletes a log whose content is in a table, which it has flushed.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
