import type { Database, Write } from "@cambium/database";
import { append } from "@cambium/primitives";
import { FACTS, TABLES } from "../tables/tables.js";

/** Number of changes written together: enough to be fast, few enough for a small machine. */
const BATCH = 5_000;

/** Tables of the flat layout. */
export const FLAT_TABLES = [
  TABLES.flatState,
  TABLES.trieNodes,
  TABLES.pinnedNodes,
  TABLES.stateDiffs,
  TABLES.sideDiffs,
  TABLES.codes,
  TABLES.sweptStorages,
] as const;
/** A database without a trie has no state. */
const STATE_FACTS = [FACTS.trieBlock, FACTS.pinned, FACTS.snapshotProgress] as const;

/**
 * Removes the state, its history, and the progress of a snapshot installation, in batches. Returns the last batch,
 * which is not written. The first batch also has the changes `first`.
 */
export async function removeFlatState(database: Database, first: readonly Write[] = []): Promise<Write[]> {
  let writes: Write[] = STATE_FACTS.map((key) => ({ table: TABLES.facts, key, value: undefined }));
  append(writes, first);
  for (const table of FLAT_TABLES) {
    for await (const { key } of database.entries(table)) {
      if (writes.length >= BATCH) {
        await database.write(writes);
        writes = [];
      }
      writes.push({ table, key: key.slice(), value: undefined });
    }
  }
  return writes;
}
