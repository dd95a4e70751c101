import { type Database, mapKey, numberKey, readNumber, type Write } from "@cambium/database";
import { appendAll, EMPTY_BYTES, equalBytes, joinBytes } from "@cambium/primitives";
import { isCodeKey, type KeyedState } from "@cambium/state";
import { type NodeCache, type Trie, TrieError } from "@cambium/trie";
import { ChainError } from "../errors.js";
import type { Reorganisation } from "../interface.js";
import { FACTS, TABLES } from "../store/tables.js";
import { decodeRecord, encodeRecord, type FlatRecord, nextRecord } from "./flat-record.js";
import { BlockState, ChangedState } from "./flat-state.js";
import { FlatStates, MANY_DIFFERENCES, type OpenTrie } from "./flat-states.js";
import { codeReference, encodeTrieBlock, hashInReference, pinnedKey, type TrieBlock } from "./flat-tables.js";
import { type ChangedRecords, ReplacedRecords } from "./replaced-records.js";
import { type DiffEntry, decodeDiff, encodeDiff } from "./state-diff.js";
import type { AcceptOptions, BestState, BlockId, StateSource, StateWriter } from "./stored-states.js";

export interface FlatStateOptions {
  /** Number of blocks below the best one whose states remain readable; by default all. */
  history?: number;
  /** Number of blocks for which diffs are always kept, for reorganisations and snapshots; more than `maxBlocks`. */
  minHistory?: number;
  /**
   * The trie is written after so many changes of keys, or so many blocks: when a database is opened after a kill, they are applied again. By
   * default several times as many while the chain is far behind ({@link timesBehind}).
   */
  maxChanges?: number;
  maxBlocks?: number;
}

/** Number of the lowest block whose state remains readable if `best` is the best one. */
export function historyStart(best: number, { history, minHistory }: FlatStateOptions = {}): number {
  return Math.max(best - Math.max(history ?? Number.POSITIVE_INFINITY, minHistory ?? MIN_HISTORY), 0);
}

/** Number of tries that remain readable: while one of them is served, the next one is prepared. */
const PINNED = 2;
const MIN_HISTORY = 10_000;
const MAX_CHANGES = 8_192;
const MAX_BLOCKS = 1_024;
/** Bytes of memory for {@link MAX_CHANGES}, in memory and while they are written, and what else the process takes meanwhile. */
const MEMORY_OF_CHANGES = 512 * 2 ** 20;
const MAX_TIMES_BEHIND = 8;
/** Number of nodes of forgotten tries that are removed in one batch. */
const REMOVED_AT_ONCE = 1_000;
/** Records that are kept in memory, of some hundred bytes each. */
const KEPT_RECORDS = 16_384;
/** Number of blocks whose diffs are deleted with one block, if the history is longer than it should be. */
const PRUNED_AT_ONCE = 16;

/**
 * How many times as many changes as at the tip are written at once while the chain is far behind: the more they are, the more of them have nodes in
 * common. `available`: bytes of memory.
 */
export function timesBehind(available = process.availableMemory()): number {
  return Math.min(Math.max(Math.floor(available / MEMORY_OF_CHANGES), 1), MAX_TIMES_BEHIND);
}

/** The states of an importing chain in the flat layout: the thread that imports is the only one that changes them. */
export class FlatStateWriter extends FlatStates implements StateWriter {
  override readonly isShared = false;
  private best: BestState;
  /** The best block, with the trie of its state, from which the stored trie is updated; undefined until it is needed. */
  private opened: OpenTrie | undefined;
  /** A state on top of the best block to whose trie that of the best block was changed in place, which is cheaper than to change a copy. */
  private borrower: ChangedState | undefined;
  /** The block whose trie is stored, and the number of changes since: known if the trie is open. */
  private stored: BlockId;
  private changesSince = 0;
  private oldest: number;
  private pinned: readonly TrieBlock[];
  /** Newest records of keys that were read or changed; undefined: there is none. Blocks in a row read much the same. */
  private readonly newest = new Map<string, FlatRecord | undefined>();
  private readonly replaced = new ReplacedRecords();

  private readonly options: FlatStateOptions;
  private readonly timesBehind = timesBehind();

  /** Throws {@link ChainError} `DATABASE_DAMAGED` if no trie is stored, or another one than the best block's under its name. */
  constructor(source: StateSource, cache: NodeCache, best: BestState, options: FlatStateOptions = {}) {
    super(source, cache, MANY_DIFFERENCES);
    this.options = options;
    const { block } = this.storedTrie();
    if (equalBytes(block.hash, best.hash) && !equalBytes(block.root, best.stateRoot)) throw damaged(best);
    this.best = best;
    this.stored = block;
    this.oldest = this.tables.oldest();
    this.pinned = this.tables.pinned();
  }

  override newestRecord(key: Uint8Array): FlatRecord | undefined {
    const name = mapKey(key);
    const known = this.newest.get(name);
    if (known !== undefined || this.newest.has(name)) return known;
    const record = super.newestRecord(key);
    this.keepRecord(name, record);
    return record;
  }

  private keepRecord(name: string, record: FlatRecord | undefined): void {
    if (this.newest.size >= KEPT_RECORDS) this.newest.clear();
    this.newest.set(name, record);
  }

  override trieOf(state: BlockState): Trie {
    if (this.isHead(state)) return this.head().trie.copy();
    return super.trieOf(state, false);
  }

  lendTrie(state: BlockState, to: ChangedState): Trie | undefined {
    if (!this.isHead(state)) return undefined;
    const { trie } = this.head();
    this.borrower = to;
    return trie;
  }

  private isHead({ block }: BlockState): boolean {
    return equalBytes(block.hash, this.best.hash);
  }

  /** The trie of a state, which is not to have it any more. */
  private takeTrie(state: ChangedState): Trie {
    const trie = state.takeTrie();
    if (this.borrower !== state) return trie;
    this.borrower = undefined;
    this.opened = undefined;
    return trie;
  }

  protected override available(): OpenTrie[] {
    return [this.head()];
  }

  /** Opens the trie of the best block if necessary. Throws {@link ChainError} `DATABASE_DAMAGED` if the state is not complete. */
  private head(): OpenTrie {
    const { opened, borrower } = this;
    // A trie whose change failed is not used again.
    this.opened = undefined;
    this.borrower = undefined;
    if (opened !== undefined && borrower !== undefined) borrower.returnTrie(opened.trie);
    this.opened = opened ?? { block: this.best, trie: this.openHead() };
    return this.opened;
  }

  /** After a kill, the stored trie is behind: this reads and changes thousands of paths, of which a start must not wait. */
  private openHead(): Trie {
    const { block, trie } = this.storedTrie();
    const state = new BlockState(this, this.best, this.best.stateRoot);
    const keys = this.differences(block, this.best) ?? [];
    try {
      for (const key of keys) trie.put(key, state.get(key));
      if (!equalBytes(trie.hash(), this.best.stateRoot)) throw damaged(this.best);
    } catch (error) {
      throw error instanceof TrieError ? damaged(this.best, error) : error;
    }
    this.changesSince = keys.length;
    return trie;
  }

  accept(
    block: BlockId,
    state: KeyedState,
    change: Reorganisation | undefined,
    { pin = false, isBehind = false }: AcceptOptions = {},
  ): Write[] {
    if (!(state instanceof ChangedState)) throw new TypeError("not a state of this layout");
    const writes: Write[] = [];
    const values = storedValues(state, writes);
    const { number, hash } = block;
    const open = { block: { number, hash }, trie: this.takeTrie(state) };
    if (change === undefined) {
      this.keep(open);
      writes.push({ table: TABLES.sideDiffs, key: block.hash, value: encodeDiff(values) });
      return writes;
    }
    const records: ChangedRecords = new Map();
    const first = number - change.added.length + 1;
    this.abandon(change, first, records, writes);
    for (const [i, added] of change.added.entries()) {
      const height = first + i;
      if (equalBytes(added, hash)) this.adopt(height, values, records, writes);
      else {
        this.adopt(height, [...this.sideValues({ number: height, hash: added })], records, writes);
        writes.push({ table: TABLES.sideDiffs, key: added, value: undefined });
      }
    }
    this.prune(number, records, writes);
    this.finish(open, records, writes);
    if (this.isTrieDue(isBehind)) this.storeTrie(writes);
    if (pin) this.pin(writes);
    return writes;
  }

  rewind(change: Reorganisation, target: BlockId): Write[] {
    const writes: Write[] = [];
    const records: ChangedRecords = new Map();
    this.abandon(change, target.number + 1, records, writes);
    this.moveBack(target, records, writes);
    return writes;
  }

  forget(target: BlockId): Write[] {
    const writes: Write[] = [];
    this.moveBack(target, this.recordsAt(target.number), writes);
    this.replaced.truncate(target.number);
    return writes;
  }

  mark(): void {
    this.replaced.mark(this.best.number);
  }

  /** Makes a block the best one, after which the values of `records` have changed. */
  private moveBack(target: BlockId, records: ChangedRecords, writes: Write[]): void {
    const trie = this.head().trie.copy();
    for (const { key, record } of records.values()) trie.put(key, this.fullValue(key, record));
    const { number, hash } = target;
    this.finish({ block: { number, hash }, trie }, records, writes);
    // What has changed since a block that is deleted would not be known.
    if (this.stored.number > number || this.isTrieDue()) this.storeTrie(writes);
  }

  async *garbage(database: Database): AsyncGenerator<Write[]> {
    const oldest = this.pinned[0]?.number ?? Number.POSITIVE_INFINITY;
    let writes: Write[] = [];
    for await (const { key } of database.entries(TABLES.pinnedNodes)) {
      if (readNumber(key, 0) >= oldest) break;
      writes.push({ table: TABLES.pinnedNodes, key: key.slice(), value: undefined });
      if (writes.length < REMOVED_AT_ONCE) continue;
      yield writes;
      writes = [];
    }
    if (writes.length > 0) yield writes;
  }

  /** Changes that delete a part of the history that is not needed any more, in order with those of the other methods; none at last. */
  shorten(): Write[] {
    const writes: Write[] = [];
    const records: ChangedRecords = new Map();
    this.prune(this.best.number, records, writes);
    return [...writes, ...this.recordWrites(records)];
  }

  catchUp(): Write[] {
    const writes: Write[] = [];
    if (equalBytes(this.stored.hash, this.best.hash)) return writes;
    this.head();
    if (this.isTrieDue()) this.storeTrie(writes);
    return writes;
  }

  close(): Write[] {
    const writes: Write[] = [];
    // Nothing has changed if the trie was not needed.
    if (this.opened !== undefined && !equalBytes(this.stored.hash, this.best.hash)) this.storeTrie(writes);
    return writes;
  }

  /** Undoes the blocks that leave the best chain, from the last one down to number `first`. */
  private abandon({ removed }: Reorganisation, first: number, records: ChangedRecords, writes: Write[]): void {
    this.replaced.truncate(first - 1);
    for (let i = removed.length - 1; i >= 0; i--) {
      const number = first + i;
      const values: DiffEntry[] = [];
      const changes = this.changesOf({ number, hash: removed[i]! });
      if (changes === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number: number - 1 });
      for (const { key, bytes } of changes) {
        const value = this.current(key, records)?.value;
        values.push({ key, bytes: value?.length ? value : undefined });
        records.set(mapKey(key), { key, record: bytes && decodeRecord(bytes, key) });
      }
      writes.push({ table: TABLES.sideDiffs, key: removed[i]!, value: encodeDiff(values) });
      writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: undefined });
    }
  }

  /** The records of all keys that have changed after a block of the best chain, as they were after it. */
  private recordsAt(target: number): ChangedRecords {
    if (target < this.oldest) throw new ChainError({ code: "STATE_UNAVAILABLE", number: target });
    const records: ChangedRecords = new Map();
    for (let number = target; number < this.best.number; ) {
      const noted = this.replaced.since(number, this.best.number);
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

  /** Makes the values of a block the newest ones, and stores its diff. */
  private adopt(number: number, values: readonly DiffEntry[], records: ChangedRecords, writes: Write[]): void {
    const diff: DiffEntry[] = [];
    for (const { key, bytes } of values) {
      const before = this.current(key, records);
      if (equalValues(before?.value, bytes)) continue;
      diff.push({ key, bytes: before && encodeRecord(before) });
      this.replaced.note(mapKey(key), { key, record: before });
      records.set(mapKey(key), { key, record: nextRecord(before, number, bytes, this.oldest) });
    }
    this.changesSince += diff.length;
    writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: encodeDiff(diff) });
  }

  /** Writes the records and makes a block the best one. */
  private finish(open: OpenTrie, records: ChangedRecords, writes: Write[]): void {
    appendAll(writes, this.recordWrites(records));
    this.opened = open;
    this.borrower = undefined;
    this.best = { ...open.block, stateRoot: open.trie.hash() };
    open.trie.retain();
  }

  /** Whether as much has changed since the stored trie as may be applied again after a kill. */
  private isTrieDue(isBehind = false): boolean {
    const times = isBehind ? this.timesBehind : 1;
    const { maxChanges = times * MAX_CHANGES, maxBlocks = times * MAX_BLOCKS } = this.options;
    return this.changesSince >= maxChanges || Math.abs(this.best.number - this.stored.number) >= maxBlocks;
  }

  /** Pins the trie of the best block; an older one may be forgotten. Of blocks with the same number, the first one stays pinned. */
  private pin(writes: Write[]): void {
    const { number, hash, stateRoot: root } = this.best;
    if (this.pinned.some((block) => block.number === number)) return;
    if (!equalBytes(this.stored.hash, hash)) this.storeTrie(writes);
    this.pinned = [...this.pinned, { number, hash, root }].slice(-PINNED);
    writes.push({ table: TABLES.facts, key: FACTS.pinned, value: joinBytes(this.pinned.map(encodeTrieBlock)) });
  }

  /** Other open tries refer to nodes that are replaced. */
  private storeTrie(writes: Write[]): void {
    const { block, trie } = this.head();
    const root = trie.saveByPlace({
      put: (place, message) => {
        this.keepPinned(place, writes);
        writes.push({ table: TABLES.trieNodes, key: place, value: message });
      },
    });
    writes.push({ table: TABLES.facts, key: FACTS.trieBlock, value: encodeTrieBlock({ ...block, root }) });
    this.stored = block;
    this.changesSince = 0;
    this.forgetTries();
  }

  /** Keeps the node at a place, which is about to be replaced, for the pinned tries that have it. */
  private keepPinned(place: Uint8Array, writes: Write[]): void {
    const newest = this.pinned.at(-1);
    if (newest === undefined) return;
    const { reader } = this.tables;
    const key = pinnedKey(newest.number, place);
    const message = reader.get(TABLES.trieNodes, place);
    if (message === undefined || reader.get(TABLES.pinnedNodes, key) !== undefined) return;
    writes.push({ table: TABLES.pinnedNodes, key, value: message });
  }

  /** Deletes diffs that the history does not need any more, and removed values that only it needed. */
  private prune(best: number, records: ChangedRecords, writes: Write[]): void {
    const oldest = Math.min(historyStart(best, this.options), this.oldest + PRUNED_AT_ONCE);
    if (oldest <= this.oldest) return;
    for (let number = this.oldest + 1; number <= oldest; number++) {
      for (const key of this.tables.keysChangedAt(number) ?? []) {
        const record = this.current(key, records);
        if (record?.changed === number && record.value.length === 0)
          records.set(mapKey(key), { key, record: undefined });
      }
      writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: undefined });
      const hashes = this.source.hashesAt(number);
      if (hashes.length === 1) continue;
      for (const hash of hashes) writes.push({ table: TABLES.sideDiffs, key: hash, value: undefined });
    }
    this.oldest = oldest;
    writes.push({ table: TABLES.facts, key: FACTS.oldestState, value: numberKey(oldest) });
  }

  private current(key: Uint8Array, records: ChangedRecords): FlatRecord | undefined {
    const changed = records.get(mapKey(key));
    return changed === undefined ? this.newestRecord(key) : changed.record;
  }

  /** Changes that store records, which are the newest ones from now on. */
  private recordWrites(records: ChangedRecords): Write[] {
    return Array.from(records, ([name, { key, record }]) => {
      this.keepRecord(name, record);
      return { table: TABLES.flatState, key, value: record && encodeRecord(record) };
    });
  }

  private sideValues({ number, hash }: BlockId): Iterable<DiffEntry> {
    const diff = this.tables.reader.get(TABLES.sideDiffs, hash);
    if (diff === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number });
    return decodeDiff(diff, number);
  }

  private fullValue(key: Uint8Array, record: FlatRecord | undefined): Uint8Array | undefined {
    if (record === undefined || record.value.length === 0) return undefined;
    return isCodeKey(key) ? this.tables.code(hashInReference(record.value)) : record.value;
  }
}

function damaged({ hash }: BestState, cause?: Error): ChainError {
  return new ChainError({ code: "DATABASE_DAMAGED", what: "state of the best block", key: hash }, { cause });
}

/** The changes of a state as the tables have them. Codes are added to `writes`. */
function storedValues(state: ChangedState, writes: Write[]): DiffEntry[] {
  return Array.from(state.changed.values(), ({ key, value }) => {
    if (value === undefined || !isCodeKey(key)) return { key, bytes: value };
    const bytes = codeReference(value);
    writes.push({ table: TABLES.codes, key: hashInReference(bytes), value });
    return { key, bytes };
  });
}

function equalValues(a: Uint8Array = EMPTY_BYTES, b: Uint8Array = EMPTY_BYTES): boolean {
  return equalBytes(a, b);
}
