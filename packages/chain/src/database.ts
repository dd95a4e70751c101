import type { Table } from "./tables.js";

/** One change of a {@link Database}; an undefined value deletes. Bytes handed over must not be changed afterwards. */
export interface Write {
  table: Table;
  key: Uint8Array;
  value: Uint8Array | undefined;
}

/** Anything that answers point reads. */
export interface KeyValueReader {
  get(table: Table, key: Uint8Array): Uint8Array | undefined;
}

/**
 * What the chain needs of a key-value store. Reading is synchronous, because it happens inside of the interpreter;
 * a batch is atomic and batches take effect in the order they were given.
 */
export interface Database extends KeyValueReader {
  write(batch: readonly Write[]): Promise<void>;
  /** A table in ascending key order, as of the moment the iteration starts. */
  entries(table: Table): AsyncIterable<{ key: Uint8Array; value: Uint8Array }>;
  close(): Promise<void>;
}

/** A copy of a short array is cheaper than a view of its memory, which moves that out of the engine's heap. */
const copy = Buffer.alloc(64);

/** Key of maps that hold database keys: one character a byte, which is the cheapest string to make. */
export function mapKey(key: Uint8Array): string {
  if (key.length > copy.length) return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
  copy.set(key);
  return copy.toString("latin1", 0, key.length);
}

/** Inverse of {@link mapKey}. */
export function fromMapKey(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
