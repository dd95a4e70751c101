/** First byte of a table's keys, 1 to 254. Each user of a database defines its tables. */
export type Table = number;

/**
 * One change of a {@link Database}; an undefined value deletes the entry. The bytes must not be modified afterwards.
 */
export interface Write {
  table: Table;
  key: Uint8Array;
  value: Uint8Array | undefined;
}

/**
 * A change among millions. Those of a pending batch survive a garbage collection. V8 then creates all further objects
 * of the same literal in its old generation, where they keep their bytes alive until a full collection. It does not do
 * so with objects of a class.
 */
export class YoungWrite implements Write {
  constructor(
    readonly table: Table,
    readonly key: Uint8Array,
    readonly value: Uint8Array | undefined,
  ) {}
}

/** Reads single entries. */
export interface KeyValueReader {
  get(table: Table, key: Uint8Array): Uint8Array | undefined;
}

/**
 * A key-value store with tables. Reads are synchronous, since the interpreter reads during execution. A batch is
 * atomic, and batches are applied in the order of the calls.
 */
export interface Database extends KeyValueReader {
  write(batch: readonly Write[]): Promise<void>;
  /**
   * Entries of a table whose keys begin with `prefix`, in ascending key order, from a snapshot taken when the iteration
   * starts.
   */
  entries(table: Table, prefix?: Uint8Array): AsyncIterable<{ key: Uint8Array; value: Uint8Array }>;
  close(): Promise<void>;
}
