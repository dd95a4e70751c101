import { type Database, mapKey, numberKey, readNumber, type Write } from "@cambium/database";
import { append, EMPTY_BYTES, equalBytes, joinBytes } from "@cambium/primitives";
import { isCodeKey, type KeyedState } from "@cambium/state";
import { type NodeCache, type Trie, TrieError } from "@cambium/trie";
import { ChainError } from "../errors.js";
import type { Reorganisation } from "../interface.js";
import { hasTombstones, TOMBSTONE_WRITE } from "../store/schema.js";
import { FACTS, TABLES } from "../store/tables.js";
import { decodeRecord, encodeRecord, type FlatRecord, nextRecord } from "./flat-record.js";
import { BlockState, ChangedState } from "./flat-state.js";
import { FlatStates, LARGE_STORAGE, MANY_DIFFERENCES, type OpenTrie } from "./flat-states.js";
import { codeReference, encodeTrieBlock, hashInReference, pinnedKey, type TrieBlock } from "./flat-tables.js";
import { type ChangedRecords, ReplacedRecords } from "./replaced-records.js";
import { type DiffEntry, decodeDiff, encodeDiff } from "./state-diff.js";
import { StateDifference } from "./state-difference.js";
import { type SweptStates, sweepStorages } from "./storage-sweep.js";
import type { AcceptOptions, BestState, BlockId, StateSource, StateWriter } from "./stored-states.js";
import {
  decodeTombstone,
  encodeTombstone,
  ID_BYTES,
  isCellKey,
  isTombstoneKey,
  numberInId,
  type StorageIds,
  storedPlaces,
  type Tombstone,
  tombstoneKey,
} from "./tombstone.js";

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
  /**
   * Bytes of a storage, as the trie counts them, above which a tombstone replaces it when its account is destroyed, instead of the removal of each
   * cell; at least 1,024.
   */
  largeStorage?: number;
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
export class FlatStateWriter extends FlatStates implements StateWriter, SweptStates {
  override readonly isShared = false;
  override readonly largeStorage: number;
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
  private hasTombstones: boolean;
  /** See {@link StorageIds}; those after the best block. */
  private readonly headIds: StorageIds = (key) => {
    if (!this.hasTombstones) return undefined;
    const tombstone = tombstoneKey(key);
    const name = mapKey(tombstone);
    // Nothing is kept here: what is being written must not leave the memory.
    const record = this.newest.has(name) ? this.newest.get(name) : super.newestRecord(tombstone);
    return record?.value.slice(0, ID_BYTES);
  };
  private readonly headNodes = this.tables.nodesOf(this.headIds);

  private readonly options: FlatStateOptions;
  private readonly timesBehind = timesBehind();

  /** Throws {@link ChainError} `DATABASE_DAMAGED` if no trie is stored, or another one than the best block's under its name. */
  constructor(source: StateSource, cache: NodeCache, best: BestState, options: FlatStateOptions = {}) {
    super(source, cache, MANY_DIFFERENCES);
    this.options = options;
    this.largeStorage = options.largeStorage ?? LARGE_STORAGE;
    this.hasTombstones = hasTombstones(source.reader);
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
    // What is detached is not put back key by key; and the trie is stored with the new block.
    if (to.detached.size > 0) return trie.copy();
    this.borrower = to;
    return trie;
  }

  private isHead({ block }: BlockState): boolean {
    return equalBytes(block.hash, this.best.hash);
  }

  /** The trie of a state, which is not to have it any more. */
  private takeTrie(state: ChangedState): Trie {
    const trie = state.takeTrie();
    // It would find nodes of storages as long as the block that it was opened for can be read.
    if (this.borrower !== state) return trie.copy(this.headNodes);
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
    const stored = this.storedTrie();
    const trie = stored.trie.copy(this.headNodes);
    const state = new BlockState(this, this.best, this.best.stateRoot);
    const difference = this.differences(stored, this.best) ?? new StateDifference();
    try {
      difference.applyTo(trie, (key) => state.get(key));
      if (!equalBytes(trie.hash(), this.best.stateRoot)) throw damaged(this.best);
    } catch (error) {
      throw error instanceof TrieError ? damaged(this.best, error) : error;
    }
    this.changesSince = difference.size;
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
    const values = storedValues(block, state, writes);
    const { number, hash } = block;
    this.hasTombstones ||= state.detached.size > 0;
    if (change === undefined) {
      this.keep({ block: { number, hash }, trie: this.takeTrie(state) });
      writes.push({ table: TABLES.sideDiffs, key: block.hash, value: encodeDiff(values) });
      return writes;
    }
    const open = { block: { number, hash }, trie: this.trieFor(block, state, change, writes) };
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
    if (this.isTrieDue(isBehind)) this.storeHead(writes);
    if (pin) this.pin(writes);
    this.tables.unwritten = undefined;
    return writes;
  }

  /** The trie of a new best block. If blocks that join the best chain destroy storages, the tries of their parents are stored before. */
  private trieFor(block: BlockId, state: ChangedState, change: Reorganisation, writes: Write[]): Trie {
    const first = block.number - change.added.length + 1;
    const blocks = change.added.map((hash, i) => ({ number: first + i, hash }));
    let parent: BlockId = { number: first - 1, hash: change.commonAncestor };
    let stored: OpenTrie | undefined;
    for (const added of blocks) {
      const destroys = added.number === block.number ? state.detached.size > 0 : this.hasDestroyed(added);
      if (destroys) {
        this.tables.unwritten ??= new Map();
        stored = this.movedTo(parent, stored ?? this.head());
        const ids = equalBytes(parent.hash, this.best.hash) ? this.headIds : this.idsAt(parent);
        if (!equalBytes(this.stored.hash, parent.hash)) this.storeTrie(stored, ids, writes);
      }
      if (added.number < block.number) parent = added;
    }
    if (stored === undefined) return this.takeTrie(state);
    const { root } = state;
    const below = this.movedTo(parent, stored);
    const trie = below.trie.copy();
    state.applyTo(trie);
    if (!equalBytes(trie.hash(), root)) throw damaged({ ...block, stateRoot: root });
    // Another block on this parent is then cheap.
    this.keep(below);
    return trie.copy(this.headNodes);
  }

  private hasDestroyed(block: BlockId): boolean {
    if (!this.hasTombstones) return false;
    for (const { key } of this.sideValues(block)) if (isTombstoneKey(key)) return true;
    return false;
  }

  /** The trie of a block from that of another one. Throws {@link ChainError} `STATE_UNAVAILABLE`. */
  private movedTo(block: BlockId, open: OpenTrie): OpenTrie {
    if (equalBytes(block.hash, open.block.hash)) return open;
    const difference = this.differences(open, block);
    if (difference === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number: block.number });
    return { block, trie: this.changed(open, new BlockState(this, block, EMPTY_BYTES), difference) };
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
    const { number, hash } = target;
    const difference = new StateDifference();
    for (const { key } of records.values()) difference.undo(key, () => this.firstValueAbove(key, number));
    const trie = this.head().trie.copy(this.nodesAt({ number, hash }));
    difference.applyTo(trie, (key) => this.fullValue(key, records));
    this.finish({ block: { number, hash }, trie: trie.copy(this.headNodes) }, records, writes);
    // What has changed since a block that is deleted would not be known.
    if (this.stored.number > number || this.isTrieDue()) this.storeHead(writes);
  }

  /** The value that the first block of the best chain above `number` has given a key. */
  private firstValueAbove(key: Uint8Array, number: number): Uint8Array | undefined {
    const newest = this.newestRecord(key);
    // A mark may also note what blocks have replaced that were abandoned since.
    if (newest === undefined || newest.changed <= number) return undefined;
    return this.tables.firstVersionAbove(key, number, newest)?.value;
  }

  async *garbage(database: Database): AsyncGenerator<() => Write[]> {
    const oldest = this.pinned[0]?.number ?? Number.POSITIVE_INFINITY;
    let writes: Write[] = [];
    for await (const { key } of database.entries(TABLES.pinnedNodes)) {
      if (readNumber(key, 0) >= oldest) break;
      writes.push({ table: TABLES.pinnedNodes, key: key.slice(), value: undefined });
      if (writes.length < REMOVED_AT_ONCE) continue;
      const removed = writes;
      yield () => removed;
      writes = [];
    }
    if (writes.length > 0) yield () => writes;
    yield* sweepStorages(database, this);
  }

  sweptTombstone(key: Uint8Array): Tombstone | undefined {
    const value = this.tables.versionAt(key, this.oldest, this.newestRecord(key))?.value;
    const tombstone = value && decodeTombstone(value, key);
    const [pinned] = this.pinned;
    return tombstone === undefined || (pinned !== undefined && pinned.number < tombstone.number)
      ? undefined
      : tombstone;
  }

  removeOlder(keys: readonly Uint8Array[], number: number): Write[] {
    const records: ChangedRecords = new Map();
    for (const key of keys) {
      const record = this.newestRecord(key);
      if (record !== undefined && record.changed < number) records.set(mapKey(key), { key, record: undefined });
    }
    return this.recordWrites(records);
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
    if (this.isTrieDue()) this.storeHead(writes);
    return writes;
  }

  close(): Write[] {
    const writes: Write[] = [];
    // Nothing has changed if the trie was not needed.
    if (this.opened !== undefined && !equalBytes(this.stored.hash, this.best.hash)) this.storeHead(writes);
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

  /** Makes the values of a block, tombstones first, the newest ones, and stores its diff. */
  private adopt(number: number, values: readonly DiffEntry[], records: ChangedRecords, writes: Write[]): void {
    const diff: DiffEntry[] = [];
    for (const { key, bytes } of values) {
      const before = this.current(key, records);
      if (equalValues(this.visible(key, before, records), bytes)) continue;
      diff.push({ key, bytes: before && encodeRecord(before) });
      this.replaced.note(mapKey(key), { key, record: before });
      records.set(mapKey(key), { key, record: nextRecord(before, number, bytes, this.oldest) });
    }
    this.changesSince += diff.length;
    writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: encodeDiff(diff) });
  }

  /** Writes the records and makes a block the best one. */
  private finish(open: OpenTrie, records: ChangedRecords, writes: Write[]): void {
    append(writes, this.recordWrites(records));
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

  /**
   * Pins the trie of the best block; an older one may be forgotten. After a rewind, no block is pinned up to the highest one that was: what is kept
   * for a number is kept for one block.
   */
  private pin(writes: Write[]): void {
    const { number, hash, stateRoot: root } = this.best;
    if (this.pinned.some((block) => block.number >= number)) return;
    if (!equalBytes(this.stored.hash, hash)) this.storeHead(writes);
    this.pinned = [...this.pinned, { number, hash, root }].slice(-PINNED);
    writes.push({ table: TABLES.facts, key: FACTS.pinned, value: joinBytes(this.pinned.map(encodeTrieBlock)) });
  }

  private storeHead(writes: Write[]): void {
    this.storeTrie(this.head(), this.headIds, writes);
  }

  /** Other open tries refer to nodes that are replaced. */
  private storeTrie({ block, trie }: OpenTrie, ids: StorageIds, writes: Write[]): void {
    const storedPlace = storedPlaces(ids);
    const root = trie.saveByPlace({
      put: (place, message) => {
        const key = storedPlace(place);
        this.keepPinned(key, writes);
        this.tables.unwritten?.set(mapKey(key), message);
        writes.push({ table: TABLES.trieNodes, key, value: message });
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
        if (isTombstoneKey(key)) writes.push({ table: TABLES.sweptStorages, key, value: EMPTY_BYTES });
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

  /** The value that a record has in the state which `records` lead to. */
  private visible(key: Uint8Array, record: FlatRecord | undefined, records: ChangedRecords): Uint8Array | undefined {
    if (record === undefined || !this.hasTombstones || !isCellKey(key)) return record?.value;
    const tombstone = this.current(tombstoneKey(key), records)?.value;
    return tombstone !== undefined && record.changed < numberInId(tombstone) ? undefined : record.value;
  }

  /** Changes that store records, which are the newest ones from now on: none of them leaves the memory before they are written. */
  private recordWrites(records: ChangedRecords): Write[] {
    if (this.newest.size + records.size > KEPT_RECORDS) this.newest.clear();
    return Array.from(records, ([name, { key, record }]) => {
      this.newest.set(name, record);
      return { table: TABLES.flatState, key, value: record && encodeRecord(record) };
    });
  }

  private sideValues({ number, hash }: BlockId): Iterable<DiffEntry> {
    const diff = this.tables.reader.get(TABLES.sideDiffs, hash);
    if (diff === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number });
    return decodeDiff(diff, number);
  }

  /** The value of a key in the state which `records` lead to. */
  private fullValue(key: Uint8Array, records: ChangedRecords): Uint8Array | undefined {
    const value = this.visible(key, this.current(key, records), records);
    if (value === undefined || value.length === 0) return undefined;
    return isCodeKey(key) ? this.tables.code(hashInReference(value)) : value;
  }
}

function damaged({ hash }: BestState, cause?: Error): ChainError {
  return new ChainError({ code: "DATABASE_DAMAGED", what: "state of the best block", key: hash }, { cause });
}

/** The changes of the state after a block as the tables have them, tombstones first. Codes are added to `writes`. */
function storedValues(block: BlockId, state: ChangedState, writes: Write[]): DiffEntry[] {
  const values: DiffEntry[] = [];
  if (state.detached.size > 0) writes.push(TOMBSTONE_WRITE);
  for (const { account, root } of state.detached.values()) {
    values.push({ key: tombstoneKey(account), bytes: encodeTombstone(block, root) });
  }
  for (const { key, value } of state.changed.values()) {
    let bytes = value;
    if (value !== undefined && isCodeKey(key)) {
      bytes = codeReference(value);
      writes.push({ table: TABLES.codes, key: hashInReference(bytes), value });
    }
    values.push({ key, bytes });
  }
  return values;
}

function equalValues(a: Uint8Array = EMPTY_BYTES, b: Uint8Array = EMPTY_BYTES): boolean {
  return equalBytes(a, b);
}
