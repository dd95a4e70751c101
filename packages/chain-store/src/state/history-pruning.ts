import { mapKey, numberKey, type Write } from "@cambium/database";
import { EMPTY_BYTES } from "@cambium/primitives";
import { FACTS, TABLES } from "../tables/tables.js";
import { type FlatStateOptions, historyStart } from "./flat-state-options.js";
import type { FlatTables } from "./flat-tables.js";
import type { NewestRecords } from "./newest-records.js";
import type { ChangedRecords } from "./replaced-records.js";
import type { StateSource } from "./stored-states.js";
import { decodeTombstone, isTombstoneKey, type Tombstone } from "./tombstone.js";

/** Number of blocks whose diffs are deleted with one block, if the history is too long. */
const PRUNED_PER_BLOCK = 16;

/** Shortens the history of states, and removes data that only its oldest part needed. */
export class HistoryPruning {
  private start: number;

  constructor(
    private readonly tables: FlatTables,
    private readonly source: StateSource,
    private readonly newest: NewestRecords,
    private readonly options: FlatStateOptions,
  ) {
    this.start = tables.oldest();
  }

  /** Number of the lowest block of the best chain whose state can be read. */
  get oldest(): number {
    return this.start;
  }

  /** Deletes diffs that the history no longer needs, and removed values that only it needed. */
  prune(best: number, records: ChangedRecords, writes: Write[]): void {
    const oldest = Math.min(historyStart(best, this.options), this.start + PRUNED_PER_BLOCK);
    if (oldest <= this.start) return;
    for (let number = this.start + 1; number <= oldest; number++) this.pruneBlock(number, records, writes);
    this.start = oldest;
    writes.push({ table: TABLES.facts, key: FACTS.oldestState, value: numberKey(oldest) });
  }

  private pruneBlock(number: number, records: ChangedRecords, writes: Write[]): void {
    for (const key of this.tables.keysChangedAt(number) ?? []) {
      if (isTombstoneKey(key)) writes.push({ table: TABLES.sweptStorages, key, value: EMPTY_BYTES });
      const record = this.newest.in(records, key);
      if (record?.changed === number && record.value.length === 0) records.set(mapKey(key), { key, record: undefined });
    }
    writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: undefined });
    const hashes = this.source.hashesAt(number);
    if (hashes.length === 1) return;
    for (const hash of hashes) writes.push({ table: TABLES.sideDiffs, key: hash, value: undefined });
  }

  /** Returns the tombstone, by its key, after the oldest block whose state can be read. */
  oldestTombstone(key: Uint8Array): Tombstone | undefined {
    const value = this.tables.versionAt(key, this.start, this.newest.get(key))?.value;
    return value && decodeTombstone(value, key);
  }

  /** Changes that remove the records of these keys which are older than a block. */
  removeOlder(keys: readonly Uint8Array[], number: number): Write[] {
    const records: ChangedRecords = new Map();
    for (const key of keys) {
      const record = this.newest.get(key);
      if (record !== undefined && record.changed < number) records.set(mapKey(key), { key, record: undefined });
    }
    return this.newest.writes(records);
  }
}
