import type { Database, Write } from "@cambium/database";
import { append, EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { isCodeKey, type KeyedState } from "@cambium/state";
import { type NodeCache, type Trie, TrieError } from "@cambium/trie";
import { ChainError } from "../errors.js";
import type { Reorganisation } from "../interface.js";
import { TOMBSTONE_WRITE } from "../tables/schema.js";
import { TABLES } from "../tables/tables.js";
import type { FlatRecord } from "./flat-record.js";
import { BlockState, ChangedState } from "./flat-state.js";
import { type FlatStateOptions, LARGE_STORAGE } from "./flat-state-options.js";
import { FlatStates, MANY_DIFFERENCES, type OpenTrie } from "./flat-states.js";
import { codeReference, hashInReference } from "./flat-tables.js";
import { HeadTrie } from "./head-trie.js";
import { HistoryChanges } from "./history-changes.js";
import { HistoryPruning } from "./history-pruning.js";
import { NewestRecords } from "./newest-records.js";
import type { ChangedRecords } from "./replaced-records.js";
import { type DiffEntry, decodeDiff, encodeDiff } from "./state-diff.js";
import { StateDifference } from "./state-difference.js";
import { stateGarbage, type TidiedStates } from "./state-garbage.js";
import type { AcceptOptions, BestState, BlockId, StateSource, StateWriter } from "./stored-states.js";
import { StoredTrie } from "./stored-trie.js";
import { encodeTombstone, isTombstoneKey, type StorageIds, type Tombstone, tombstoneKey } from "./tombstone.js";

/** The states of an importing chain in the flat layout. Only the thread that imports changes them. */
export class FlatStateWriter extends FlatStates implements StateWriter, TidiedStates {
  override readonly isShared = false;
  override readonly largeStorage: number;
  private best: BestState;
  private readonly stored: StoredTrie;
  private readonly newest = new NewestRecords(this.tables);
  private readonly pruning: HistoryPruning;
  private readonly history: HistoryChanges;
  private readonly headNodes = this.tables.nodesOf(this.newest.ids);
  private readonly head = new HeadTrie(() => this.openHead(), this.headNodes);

  /**
   * Throws {@link ChainError} `DATABASE_DAMAGED` if no trie is stored, or the stored trie does not belong to the best
   * block.
   */
  constructor(source: StateSource, cache: NodeCache, best: BestState, options: FlatStateOptions = {}) {
    super(source, cache, MANY_DIFFERENCES);
    this.largeStorage = options.largeStorage ?? LARGE_STORAGE;
    const { block } = this.storedTrie();
    if (equalBytes(block.hash, best.hash) && !equalBytes(block.root, best.stateRoot)) throw damaged(best);
    this.best = best;
    this.stored = new StoredTrie(this.tables, options, block);
    this.pruning = new HistoryPruning(this.tables, source, this.newest, options);
    this.history = new HistoryChanges(this.tables, this.newest, this.pruning);
  }

  override newestRecord(key: Uint8Array): FlatRecord | undefined {
    return this.newest.get(key);
  }

  override trieOf(state: BlockState): Trie {
    if (this.isHead(state)) return this.head.get().trie.copy();
    return super.trieOf(state, false);
  }

  leaseTrie(state: BlockState, to: ChangedState): Trie | undefined {
    return this.isHead(state) ? this.head.lease(to) : undefined;
  }

  private isHead({ block }: BlockState): boolean {
    return equalBytes(block.hash, this.best.hash);
  }

  protected override available(): OpenTrie[] {
    return [this.head.get()];
  }

  /**
   * Opens the trie of the best block. After a kill, the stored trie is behind: this changes thousands of paths, which
   * must not delay the start. Throws {@link ChainError} `DATABASE_DAMAGED` if the state is not complete.
   */
  private openHead(): OpenTrie {
    const { best } = this;
    const stored = this.storedTrie();
    const trie = stored.trie.copy(this.headNodes);
    const state = new BlockState(this, best, best.stateRoot);
    const difference = this.differences(stored, best) ?? new StateDifference();
    try {
      difference.applyTo(trie, (key) => state.get(key));
      if (!equalBytes(trie.hash(), best.stateRoot)) throw damaged(best);
    } catch (error) {
      throw error instanceof TrieError ? damaged(best, error) : error;
    }
    this.stored.changes = difference.size;
    return { block: best, trie };
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
      this.keep({ block: { number, hash }, trie: this.head.take(state) });
      writes.push({ table: TABLES.sideDiffs, key: block.hash, value: encodeDiff(values) });
      return writes;
    }
    const open = { block: { number, hash }, trie: this.trieFor(block, state, change, writes) };
    const records: ChangedRecords = new Map();
    const first = number - change.added.length + 1;
    this.abandon(change, first, records, writes);
    for (const [i, added] of change.added.entries()) {
      const height = first + i;
      const isTip = equalBytes(added, hash);
      const own = isTip ? values : [...this.sideValues({ number: height, hash: added })];
      this.stored.changes += this.history.adopt(height, own, records, writes);
      if (!isTip) writes.push({ table: TABLES.sideDiffs, key: added, value: undefined });
    }
    this.pruning.prune(number, records, writes);
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
        stored = this.movedTo(parent, stored ?? this.head.get());
        const ids = equalBytes(parent.hash, this.best.hash) ? this.newest.ids : this.idsAt(parent);
        if (!this.stored.isOf(parent)) this.storeTrie(stored, ids, writes);
      }
      if (added.number < block.number) parent = added;
    }
    if (stored === undefined) return this.head.take(state);
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

  /** Returns the trie of a block, changed from that of another one. Throws {@link ChainError} `STATE_UNAVAILABLE`. */
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
    this.moveBack(target, this.history.recordsAt(target.number, this.best.number), writes);
    this.history.truncate(target.number);
    return writes;
  }

  mark(): void {
    this.history.mark(this.best.number);
  }

  /** Makes a block the best one, after which the values of `records` have changed. */
  private moveBack(target: BlockId, records: ChangedRecords, writes: Write[]): void {
    const { number, hash } = target;
    const difference = new StateDifference();
    for (const { key } of records.values()) difference.undo(key, () => this.history.firstValueAbove(key, number));
    const trie = this.head.get().trie.copy(this.nodesAt({ number, hash }));
    difference.applyTo(trie, (key) => this.history.fullValue(key, records));
    this.finish({ block: { number, hash }, trie: trie.copy(this.headNodes) }, records, writes);
    // Changes since a deleted block could no longer be determined.
    if (this.stored.block.number > number || this.stored.isDue(this.best)) this.storeHead(writes);
  }

  garbage(database: Database): AsyncGenerator<() => Write[]> {
    return stateGarbage(database, this);
  }

  get lowestPinned(): number {
    return this.stored.lowestPinned;
  }

  sweptTombstone(key: Uint8Array): Tombstone | undefined {
    const tombstone = this.pruning.oldestTombstone(key);
    return tombstone === undefined || this.lowestPinned < tombstone.number ? undefined : tombstone;
  }

  removeOlder(keys: readonly Uint8Array[], number: number): Write[] {
    return this.pruning.removeOlder(keys, number);
  }

  /**
   * Returns changes that prune part of the history, in order with those of the other methods; none when pruning is
   * complete.
   */
  shorten(): Write[] {
    const writes: Write[] = [];
    const records: ChangedRecords = new Map();
    this.pruning.prune(this.best.number, records, writes);
    return [...writes, ...this.newest.writes(records)];
  }

  catchUp(): Write[] {
    const writes: Write[] = [];
    if (this.stored.isOf(this.best)) return writes;
    this.head.get();
    if (this.stored.isDue(this.best)) this.storeHead(writes);
    return writes;
  }

  close(): Write[] {
    const writes: Write[] = [];
    // Nothing has changed if the trie was never opened.
    if (this.head.isOpen && !this.stored.isOf(this.best)) this.storeHead(writes);
    return writes;
  }

  /** Undoes the blocks that leave the best chain, from the last one down to number `first`. */
  private abandon({ removed }: Reorganisation, first: number, records: ChangedRecords, writes: Write[]): void {
    this.history.truncate(first - 1);
    for (let i = removed.length - 1; i >= 0; i--) {
      const block = { number: first + i, hash: removed[i]! };
      const changes = this.changesOf(block);
      if (changes === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number: block.number - 1 });
      this.history.abandon(block, changes, records, writes);
    }
  }

  /** Writes the records and makes a block the best one. */
  private finish(open: OpenTrie, records: ChangedRecords, writes: Write[]): void {
    append(writes, this.newest.writes(records));
    this.head.replace(open);
    this.best = { ...open.block, stateRoot: open.trie.hash() };
    open.trie.retain();
  }

  private pin(writes: Write[]): void {
    if (!this.stored.canPin(this.best)) return;
    if (!this.stored.isOf(this.best)) this.storeHead(writes);
    this.stored.pin(this.best, writes);
  }

  private storeHead(writes: Write[]): void {
    this.storeTrie(this.head.get(), this.newest.ids, writes);
  }

  /** Other open tries refer to nodes that are replaced. */
  private storeTrie({ block, trie }: OpenTrie, ids: StorageIds, writes: Write[]): void {
    this.stored.replace(block, trie, ids, writes);
    this.forgetTries();
  }

  private sideValues({ number, hash }: BlockId): Iterable<DiffEntry> {
    const diff = this.tables.reader.get(TABLES.sideDiffs, hash);
    if (diff === undefined) throw new ChainError({ code: "STATE_UNAVAILABLE", number });
    return decodeDiff(diff, number);
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
