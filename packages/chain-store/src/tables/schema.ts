import type { KeyValueReader, Write } from "@cambium/database";
import { numberToBytes } from "@cambium/primitives";
import { FACTS, SCHEMA_VERSION, TABLES } from "./tables.js";

/**
 * A flat database gets this version with its first tombstone (`state/tombstone.ts`): earlier releases would read hidden
 * cells.
 */
export const TOMBSTONE_SCHEMA = 4;

/** Versions that are read without conversion. */
export const READABLE_SCHEMAS: readonly number[] = [SCHEMA_VERSION, TOMBSTONE_SCHEMA];

/** Marks a database with the present version. */
export const SCHEMA_WRITE = schemaWrite(SCHEMA_VERSION);
/** Marks a database as having tombstones. */
export const TOMBSTONE_WRITE = schemaWrite(TOMBSTONE_SCHEMA);

function schemaWrite(version: number): Write {
  return { table: TABLES.facts, key: FACTS.schema, value: numberToBytes(version) };
}

export function hasTombstones(reader: KeyValueReader): boolean {
  return reader.get(TABLES.facts, FACTS.schema)?.[0] === TOMBSTONE_SCHEMA;
}
