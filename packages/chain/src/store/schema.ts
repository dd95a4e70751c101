import type { Database, KeyValueReader, Write } from "@cambium/database";
import { EMPTY_BYTES, numberToBytes } from "@cambium/primitives";
import { FACTS, SCHEMA_VERSION, TABLES } from "./tables.js";

/** In a flat database of this version, every node of the trie has a record of its own. */
const UNPACKED_SCHEMA = 2;

/** A flat database gets this version with its first tombstone (`state/tombstone.ts`): earlier releases would read hidden cells. */
export const TOMBSTONE_SCHEMA = 4;

/** Versions that are read as they are. */
export const READABLE_SCHEMAS: readonly number[] = [UNPACKED_SCHEMA, SCHEMA_VERSION, TOMBSTONE_SCHEMA];

/** Says that a database has the present version. */
export const SCHEMA_WRITE = schemaWrite(SCHEMA_VERSION);
/** Says that a database has tombstones. */
export const TOMBSTONE_WRITE = schemaWrite(TOMBSTONE_SCHEMA);

function schemaWrite(version: number): Write {
  return { table: TABLES.facts, key: FACTS.schema, value: numberToBytes(version) };
}

export function hasTombstones(reader: KeyValueReader): boolean {
  return reader.get(TABLES.facts, FACTS.schema)?.[0] === TOMBSTONE_SCHEMA;
}

/** To be called before anything is written that an earlier version could not read. Does nothing if the version is the present one. */
export async function upgradeSchema(database: Database): Promise<void> {
  if (database.get(TABLES.facts, FACTS.schema)?.[0] !== UNPACKED_SCHEMA) return;
  await database.write([SCHEMA_WRITE, { table: TABLES.facts, key: FACTS.unpacked, value: EMPTY_BYTES }]);
}
