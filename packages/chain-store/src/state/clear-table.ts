import type { Database, Table, Write } from "@cambium/database";

/** Entries removed in one batch. */
const BATCH = 10_000;

/** Removes all entries of a table in batches of bounded size. */
export async function clearTable(database: Database, table: Table): Promise<void> {
  let writes: Write[] = [];
  for await (const { key } of database.entries(table)) {
    writes.push({ table, key: key.slice(), value: undefined });
    if (writes.length < BATCH) continue;
    await database.write(writes);
    writes = [];
  }
  if (writes.length > 0) await database.write(writes);
}
