import type { Table } from "./database.js";
import { openLevel } from "./level-opening.js";

/**
 * Bytes that tables take on the disk, compressed; entries that are not in table files yet are not counted. The database
 * must not be open. Rejects with {@link DatabaseError} `DATABASE_OPEN` or `DATABASE_FILES`.
 */
export async function tableSizes(location: string, tables: readonly Table[]): Promise<number[]> {
  const level = await openLevel(location);
  try {
    return await Promise.all(
      tables.map((table) => level.approximateSize(Uint8Array.of(table), Uint8Array.of(table + 1))),
    );
  } finally {
    await level.close();
  }
}
