import { type Database, mapKey, numberKey, type Write } from "@cambium/database";
import { append, EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { isCodeKey, type KeyedState } from "@cambium/state";
import { type NodeCache, type Trie, TrieError } from "@cambium/trie";
import { ChainError } from "../errors.js";
import type { Reorganisation } from "../interface.js";
import { TOMBSTONE_WRITE } from "../tables/schema.js";
import { FACTS, TABLES } from "../tables/tables.js";
import { decodeRecord, encodeRecord, type FlatRecord, nextRecord } from "./flat-record.js";
import { BlockState, ChangedState } from "./flat-state.js";
import { type FlatStateOptions, historyStart, LARGE_STORAGE } from "./flat-state-options.js";
import { FlatStates, MANY_DIFFERENCES, type OpenTrie } from "./flat-states.js";
import { codeReference, hashInReference } from "./flat-tables.js";
import { NewestRecords } from "./newest-records.js";
import { type ChangedRecords, ReplacedRecords } from "./replaced-records.js";
import { type DiffEntry, decodeDiff, encodeDiff } from "./state-diff.js";
import { StateDifference } from "./state-difference.js";
import { stateGarbage, type TidiedStates } from "./state-garbage.js";
import type { AcceptOptions, BestState, BlockId, StateSource, StateWriter } from "./stored-states.js";
import { StoredTrie } from "./stored-trie.js";
import {
  decodeTombstone,
  encodeTombstone,
  isTombstoneKey,
  type StorageIds,
  type Tombstone,
  tombstoneKey,
} from "./tombstone.js";

/** Number of blocks whose diffs are deleted with one block, if the history is longer than it should be. */
const PRUNED_AT_ONCE = 16;

/** The states of an importing chain in the flat layout: the thread that imports is the only one that changes them. */
export class FlatStateWriter extends FlatStates implements StateWriter, TidiedStates {
  override readonly isShared = false;
  override readonly largeStorage: number;
  private best: BestState;
  /**
   * The best block, with the trie of its state, from which the stored trie is updated; undefined until it is needed.
   */
  private opened: OpenTrie | undefined;
  /**
   * A state on top of the best block to whose trie that of the best block was changed in place, which is cheaper than
   * to change a copy.
   */
  private borrower: ChangedState | undefined;
  private readonly stored: StoredTrie;
  private oldest: number;
  private readonly newest = new NewestRecords(this.tables);
  private readonly replaced = new ReplacedRecords();
  private readonly headNodes = this.tables.nodesOf(this.newest.ids);
  private readonly options: FlatStateOptions;

  /**
   * Throws {@link ChainError} `DATABASE_DAMAGED` if no trie is stored, or the stored trie does not belong to the best
   * block.
   */
  constructor(source: StateSource, cache: NodeCache, best: BestState, options: FlatStateOptions = {}) {
    super(source, cache, MANY_DIFFERENCES);
    this.options = options;
    this.largeStorage = options.largeStorage ?? LARGE_STORAGE;
    const { block } = this.storedTrie();
    if (equalBytes(block.hash, best.hash) && !equalBytes(block.root, best.stateRoot)) throw damaged(best);
    this.best = best;
    this.stored = new StoredTrie(this.tables, options, block);
    this.oldest = this.tables.oldest();
  }

  override newestRecord(key: Uint8Array): FlatRecord | undefined {
    return this.newest.get(key);
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

  /** The trie of a state, which no longer has it. */
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

  /**
   * Opens the trie of the best block if necessary. Throws {@link ChainError} `DATABASE_DAMAGED` if the state is not
   * complete.
   */
  private head(): OpenTrie {
    const { opened, borrower } = this;
    // A trie whose change failed is not used again.
    this.opened = undefined;
    this.borrower = undefined;
    if (opened !== undefined && borrower !== undefined) borrower.returnTrie(opened.trie);
    this.opened = opened ?? { block: this.best, trie: this.openHead() };
    return this.opened;
  }

  /**
   * After a kill, the stored trie is behind: this changes thousands of paths, which must not delay the start.
   */
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
    this.stored.changes = difference.size;
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
    this.newest.hasTombstones ||= state.detached.size > 0;
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
    // The way back from a stored trie that left the best chain would be pruned with the history.
    const isStoredOff = change.removed.some((hash) => equalBytes(hash, this.stored.block.hash));
    if (isStoredOff || this.stored.isDue(this.best, isBehind)) this.storeHead(writes);
    if (pin) this.pin(writes);
    this.tables.unwritten = undefined;
    return writes;
  }

  /**
   * The trie of a new best block. If blocks that join the best chain destroy storages, the tries of their parents are
   * stored before.
   */
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
        const ids = equalBytes(parent.hash, this.best.hash) ? this.newest.ids : this.idsAt(parent);
        if (!this.stored.isOf(parent)) this.storeTrie(stored, ids, writes);
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
    if (!this.newest.hasTombstones) return false;
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
    // Changes since a deleted block could no longer be determined.
    if (this.stored.block.number > number || this.stored.isDue(this.best)) this.storeHead(writes);
  }

  /** The value that the first block of the best chain above `number` has given a key. */
  private firstValueAbove(key: Uint8Array, number: number): Uint8Array | undefined {
    const newest = this.newest.get(key);
    // A mark may also note what blocks have replaced that were abandoned since.
    if (newest === undefined || newest.changed <= number) return undefined;
    return this.tables.firstVersionAbove(key, number, newest)?.value;
  }

  garbage(database: Database): AsyncGenerator<() => Write[]> {
    return stateGarbage(database, this);
  }

  get lowestPinned(): number {
    return this.stored.lowestPinned;
  }

  sweptTombstone(key: Uint8Array): Tombstone | undefined {
    const value = this.tables.versionAt(key, this.oldest, this.newest.get(key))?.value;
    const tombstone = value && decodeTombstone(value, key);
    return tombstone === undefined || this.lowestPinned < tombstone.number ? undefined : tombstone;
  }

  removeOlder(keys: readonly Uint8Array[], number: number): Write[] {
    const records: ChangedRecords = new Map();
    for (const key of keys) {
      const record = this.newest.get(key);
      if (record !== undefined && record.changed < number) records.set(mapKey(key), { key, record: undefined });
    }
    return this.newest.writes(records);
  }

  /**
   * Changes that prune part of the history, in order with those of the other methods. Returns none when pruning is
   * complete.
   */
  shorten(): Write[] {
    const writes: Write[] = [];
    const records: ChangedRecords = new Map();
    this.prune(this.best.number, records, writes);
    return [...writes, ...this.newest.writes(records)];
  }

  catchUp(): Write[] {
    const writes: Write[] = [];
    if (this.stored.isOf(this.best)) return writes;
    this.head();
    if (this.stored.isDue(this.best)) this.storeHead(writes);
    return writes;
  }

  close(): Write[] {
    const writes: Write[] = [];
    // Nothing has changed if the trie was not needed.
    if (this.opened !== undefined && !this.stored.isOf(this.best)) this.storeHead(writes);
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
        const value = this.newest.in(records, key)?.value;
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
      const before = this.newest.in(records, key);
      if (equalValues(this.newest.valueIn(records, key, before), bytes)) continue;
      diff.push({ key, bytes: before && encodeRecord(before) });
      const name = mapKey(key);
      this.replaced.note(name, { key, record: before });
      records.set(name, { key, record: nextRecord(before, number, bytes, this.oldest) });
    }
    this.stored.changes += diff.length;
    writes.push({ table: TABLES.stateDiffs, key: numberKey(number), value: encodeDiff(diff) });
  }

  /** Writes the records and makes a block the best one. */
  private finish(open: OpenTrie, records: ChangedRecords, writes: Write[]): void {
    append(writes, this.newest.writes(records));
    this.opened = open;
    this.borrower = undefined;
    this.best = { ...open.block, stateRoot: open.trie.hash() };
    open.trie.retain();
  }

  private pin(writes: Write[]): void {
    if (!this.stored.canPin(this.best)) return;
    if (!this.stored.isOf(this.best)) this.storeHead(writes);
    this.stored.pin(this.best, writes);
  }

  private storeHead(writes: Write[]): void {
    this.storeTrie(this.head(), this.newest.ids, writes);
  }

  /** Other open tries refer to nodes that are replaced. */
  private storeTrie({ block, trie }: OpenTrie, ids: StorageIds, writes: Write[]): void {
    this.stored.replace(block, trie, ids, writes);
    this.forgetTries();
  }

  /** Deletes diffs that the history no longer needs, and removed values that only it needed. */
  private prune(best: number, records: ChangedRecords, writes: Write[]): void {
    const oldest = Math.min(historyStart(best, this.options), this.oldest + PRUNED_AT_ONCE);
    if (oldest <= this.oldest) return;
    for (let number = this.oldest + 1; number <= oldest; number++) {
      for (const key of this.tables.keysChangedAt(number) ?? []) {
        if (isTombstoneKey(key)) writes.push({ table: TABLES.sweptStorages, key, value: EMPTY_BYTES });
        const record = this.newest.in(records, key);
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

  private sideValues({ number, hash }: BlockId): Iterable<DiffEntry> {
    const diff = this.tables.reader.get(TABLES.sideDiffs, hash);
    if (diff === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number });
    return decodeDiff(diff, number);
  }

  /** The value of a key in the state which `records` lead to. */
  private fullValue(key: Uint8Array, records: ChangedRecords): Uint8Array | undefined {
    const value = this.newest.valueIn(records, key);
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
