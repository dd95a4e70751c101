/** First byte of a table's keys, 1 to 254. The user of a database names its tables. */
export type Table = number;

/** One change of a {@link Database}; an undefined value deletes. Its bytes must not be changed afterwards. */
export interface Write {
  table: Table;
  key: Uint8Array;
  value: Uint8Array | undefined;
}

/** Point reads. */
export interface KeyValueReader {
  get(table: Table, key: Uint8Array): Uint8Array | undefined;
}

/**
 * A key-value store with tables. Reading is synchronous, because it happens inside of the interpreter; a batch is atomic
 * and batches take effect in the order of the calls.
 */
export interface Database extends KeyValueReader {
  write(batch: readonly Write[]): Promise<void>;
  /** A table in ascending key order, as of the moment the iteration starts. */
  entries(table: Table): AsyncIterable<{ key: Uint8Array; value: Uint8Array }>;
  close(): Promise<void>;
}
