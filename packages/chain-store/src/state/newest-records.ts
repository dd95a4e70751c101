import { mapKey, type Write } from "@cambium/database";
import { hasTombstones } from "../tables/schema.js";
import { TABLES } from "../tables/tables.js";
import { encodeRecord, type FlatRecord } from "./flat-record.js";
import type { FlatTables } from "./flat-tables.js";
import type { ChangedRecords } from "./replaced-records.js";
import { ID_BYTES, isCellKey, numberInId, type StorageIds, tombstoneKey } from "./tombstone.js";

/** Records of one generation, of some hundred bytes each: a block can read more than 12,000 new keys. */
const KEPT_RECORDS = 16_384;

/**
 * Newest records of keys, for the thread that changes them. Records that were read or changed are kept in two
 * generations, since consecutive blocks read much the same: when the newer one is full, the older one is forgotten.
 */
export class NewestRecords {
  /** Null: the key has no record. */
  private kept = new Map<string, FlatRecord | null>();
  private older = new Map<string, FlatRecord | null>();
  hasTombstones: boolean;

  constructor(private readonly tables: FlatTables) {
    this.hasTombstones = hasTombstones(tables.reader);
  }

  get(key: Uint8Array): FlatRecord | undefined {
    const name = mapKey(key);
    const known = this.kept.get(name);
    if (known !== undefined) return known ?? undefined;
    const older = this.older.get(name);
    const record = older === undefined ? this.tables.record(key) : (older ?? undefined);
    this.makeRoom(1);
    this.kept.set(name, record ?? null);
    return record;
  }

  /** Begins a new generation if the present one has no room for this many records. */
  private makeRoom(records: number): void {
    if (this.kept.size + records <= KEPT_RECORDS) return;
    this.older = this.kept;
    this.kept = new Map();
  }

  /**
   * Ids of the newest state. Ids that were not read before are not cached, so that no unwritten record leaves the
   * memory.
   */
  readonly ids: StorageIds = (key) => {
    if (!this.hasTombstones) return undefined;
    const tombstone = tombstoneKey(key);
    const name = mapKey(tombstone);
    // The newer generation may have null where the older one has a record.
    const kept = this.kept.get(name);
    const known = kept === undefined ? this.older.get(name) : kept;
    const record = known === undefined ? this.tables.record(tombstone) : known;
    return record?.value.slice(0, ID_BYTES);
  };

  /** The record of a key in the state to which `changed` leads from the newest one. */
  in(changed: ChangedRecords, key: Uint8Array): FlatRecord | undefined {
    const known = changed.get(mapKey(key));
    return known === undefined ? this.get(key) : known.record;
  }

  /** Returns the value of a key in that state, as the tables have it; `record` is the result of {@link in}. */
  valueIn(changed: ChangedRecords, key: Uint8Array, record: FlatRecord | undefined): Uint8Array | undefined {
    if (record === undefined || !this.hasTombstones || !isCellKey(key)) return record?.value;
    const tombstone = this.in(changed, tombstoneKey(key))?.value;
    return tombstone !== undefined && record.changed < numberInId(tombstone) ? undefined : record.value;
  }

  /**
   * Returns changes that store records, which are the newest ones from now on. They stay in memory until the next call
   * of {@link get}.
   */
  writes(changed: ChangedRecords): Write[] {
    this.makeRoom(changed.size);
    return Array.from(changed, ([name, { key, record }]) => {
      this.kept.set(name, record ?? null);
      return { table: TABLES.flatState, key, value: record && encodeRecord(record) };
    });
  }
}
