import {
  decodeRecord,
  encodeRecord,
  type FlatRecord,
  FlatTables,
  hashInReference,
  storedPlaces,
  TABLES,
} from "@cambium/chain-store";
import { type Database, type Write, WriteQueue } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { Trie } from "@cambium/trie";
import { CodeCheck, type WantedState } from "./flat-values.js";
import { HiddenCells } from "./hidden-cells.js";
import { attempt } from "./sound-blocks.js";

/** Limits after which nodes are written, so that most of the trie leaves the memory. */
const BATCH_VALUES = 10_000;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Builds the trie of the flat table's values and stores its nodes, instead of those at the same places. Resolves to
 * whether its root is the expected one. Values are read in the order of their keys, which is also that of the nodes:
 * nodes are rarely read again after they are written.
 */
export async function buildTrie(database: Database, wanted: WantedState, onValue: () => void): Promise<boolean> {
  const building = new Building(database, wanted);
  for await (const { key, value } of database.entries(TABLES.flatState)) {
    onValue();
    const record = attempt(() => decodeRecord(value, key));
    if (record === undefined || !building.put(key.slice(), record)) return false;
    if (building.isFull) await building.save();
  }
  await building.save();
  return equalBytes(await building.finish(), wanted.root);
}

class Building {
  private readonly queue: WriteQueue;
  private readonly tables: FlatTables;
  private readonly codes: CodeCheck;
  private readonly hidden: HiddenCells;
  private trie: Trie;
  private writes: Write[] = [];
  private values = 0;
  private bytes = 0;

  constructor(
    database: Database,
    private readonly wanted: WantedState,
  ) {
    this.queue = new WriteQueue(database, { capacity: 4 * BATCH_VALUES });
    this.tables = new FlatTables(this.queue);
    this.codes = new CodeCheck(database);
    this.hidden = new HiddenCells(wanted.number);
    this.trie = new Trie(this.tables.nodes);
  }

  get isFull(): boolean {
    return this.values >= BATCH_VALUES || this.bytes >= BATCH_BYTES;
  }

  /** Returns false if a code is missing. */
  put(key: Uint8Array, record: FlatRecord): boolean {
    const kind = this.hidden.visit(key, record);
    if (kind === "hidden" || kind === "tombstone") return true;
    if (kind === "wrong tombstone") {
      this.writes.push({ table: TABLES.flatState, key, value: undefined });
      return true;
    }
    const stored = record.value.slice();
    const value = stored.length > 0 && isCodeKey(key) ? this.codes.get(hashInReference(stored)) : stored;
    if (value === undefined) return false;
    if (value.length > 0) this.trie.put(key, value);
    if (record.changed > this.wanted.number) this.correct(key, stored);
    this.values++;
    this.bytes += key.length + value.length;
    return true;
  }

  /** The table belongs to an earlier block than the one that this record names. */
  private correct(key: Uint8Array, value: Uint8Array): void {
    const changed = Math.max(this.wanted.oldest, this.hidden.lowestVisible(key));
    const record = { changed, index: 0, earlier: [], value };
    this.writes.push({ table: TABLES.flatState, key, value: value.length === 0 ? undefined : encodeRecord(record) });
  }

  async save(): Promise<void> {
    const { writes } = this;
    const storedPlace = storedPlaces((key) => this.tables.newestId(key));
    const root = this.trie.saveByPlace({
      put: (place, value) => void writes.push({ table: TABLES.trieNodes, key: storedPlace(place), value }),
    });
    this.queue.append(writes).catch(() => undefined);
    await this.queue.room();
    this.trie = new Trie(this.tables.nodes, root);
    this.writes = [];
    this.values = 0;
    this.bytes = 0;
  }

  /** The root, when all is written. */
  async finish(): Promise<Uint8Array> {
    await this.queue.idle();
    await this.queue.room();
    return this.trie.hash();
  }
}
