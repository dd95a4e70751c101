import { mapKey, numberKey, type Write } from "@cambium/database";
import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { ChainError } from "../errors.js";
import { TABLES } from "../tables/tables.js";
import { decodeRecord, encodeRecord, nextRecord } from "./flat-record.js";
import { type FlatTables, hashInReference } from "./flat-tables.js";
import type { HistoryPruning } from "./history-pruning.js";
import type { NewestRecords } from "./newest-records.js";
import { type ChangedRecords, ReplacedRecords } from "./replaced-records.js";
import { type DiffEntry, decodeDiff, encodeDiff } from "./state-diff.js";
import type { BlockId } from "./stored-states.js";

/**
 * Changes of the newest records by blocks that join or leave the best chain. `records` collects the records, from the
 * newest ones on, until they are written.
 */
export class HistoryChanges {
  private readonly replaced = new ReplacedRecords();

  constructor(
    private readonly tables: FlatTables,
    private readonly newest: NewestRecords,
    private readonly pruning: Pick<HistoryPruning, "oldest">,
  ) {}

  /**
   * Makes the values of a block, tombstones first, the newest ones, and stores its diff. Returns the number of changed
   * keys.
   */
  adopt(number: number, values: readonly DiffEntry[], records: ChangedRecords, writes: Write[]): number {
    const diff: DiffEntry[] = [];
    for (const { key, bytes } of values) {
      const before = this.newest.in(records, key);
      if (equalValues(this.newest.valueIn(records, key, before), bytes)) continue;
      diff.push({ key, bytes: before && encodeRecord(before) });
      const name = mapKey(key);
      this.replaced.note(name, { key, record: before });
      records.set(name, { key, record: nextRecord(before, number, bytes, this.pruning.oldest) });
    }
    writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: encodeDiff(diff) });
    return diff.length;
  }

  /** Undoes a block that leaves the best chain, once the blocks above it are undone; `changes` are its changes. */
  abandon({ number, hash }: BlockId, changes: Iterable<DiffEntry>, records: ChangedRecords, writes: Write[]): void {
    const values: DiffEntry[] = [];
    for (const { key, bytes } of changes) {
      const value = this.newest.in(records, key)?.value;
      values.push({ key, bytes: value?.length ? value : undefined });
      records.set(mapKey(key), { key, record: bytes && decodeRecord(bytes, key) });
    }
    writes.push({ table: TABLES.sideDiffs, key: hash, value: encodeDiff(values) });
    writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: undefined });
  }

  /** Begins to note the records that the blocks after the best one, with this number, replace. */
  mark(number: number): void {
    this.replaced.mark(number);
  }

  /** Blocks above this number leave the best chain. */
  truncate(number: number): void {
    this.replaced.truncate(number);
  }

  /**
   * Returns the records of all keys that have changed after a block of the best chain, as they were after it. `best` is
   * the number of the best block. Throws {@link ChainError} `STATE_UNAVAILABLE`.
   */
  recordsAt(target: number, best: number): ChangedRecords {
    if (target < this.pruning.oldest) throw new ChainError({ code: "STATE_UNAVAILABLE", number: target });
    const records: ChangedRecords = new Map();
    for (let number = target; number < best; ) {
      const noted = this.replaced.since(number, best);
      const replaced = noted?.records ?? this.replacedBy(number + 1);
      // The first block that has changed a value has replaced the record that is wanted.
      for (const [name, entry] of replaced) if (!records.has(name)) records.set(name, entry);
      number = noted?.end ?? number + 1;
    }
    return records;
  }

  /** The records that a block of the best chain has replaced. */
  private replacedBy(number: number): ChangedRecords {
    const diff = this.tables.reader.get(TABLES.stateDiffs, numberKey(number));
    if (diff === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number: number - 1 });
    const entries = [...decodeDiff(diff, number)];
    return new Map(entries.map(({ key, bytes }) => [mapKey(key), { key, record: bytes && decodeRecord(bytes, key) }]));
  }

  /** The value that the first block of the best chain above `number` has given a key. */
  firstValueAbove(key: Uint8Array, number: number): Uint8Array | undefined {
    const newest = this.newest.get(key);
    // A mark may also note records that since abandoned blocks have replaced.
    if (newest === undefined || newest.changed <= number) return undefined;
    return this.tables.firstVersionAbove(key, number, newest)?.value;
  }

  /** The value of a key in the state which `records` lead to. */
  fullValue(key: Uint8Array, records: ChangedRecords): Uint8Array | undefined {
    const value = this.newest.valueIn(records, key, this.newest.in(records, key));
    if (value === undefined || value.length === 0) return undefined;
    return isCodeKey(key) ? this.tables.code(hashInReference(value)) : value;
  }
}

function equalValues(a: Uint8Array = EMPTY_BYTES, b: Uint8Array = EMPTY_BYTES): boolean {
  return equalBytes(a, b);
}
