import type { Table } from "./database.js";
import { openLevel } from "./level-opening.js";

/**
 * Frees the space of removed entries, which LevelDB otherwise does only as it writes to the same tables. The database
 * must not be open. Rejects with `DatabaseError` `DATABASE_OPEN` or `DATABASE_FILES`.
 */
export async function compactTables(location: string, tables: readonly Table[]): Promise<void> {
  const level = await openLevel(location);
  try {
    for (const table of tables) await level.compactRange(Uint8Array.of(table), Uint8Array.of(table + 1));
  } finally {
    await level.close();
  }
}
