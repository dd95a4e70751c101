import { mapKey } from "@cambium/database";
import { keccak256 } from "@cambium/primitives";
import { isCodeKey, type KeyedState, type StateChange } from "@cambium/state";
import { PACKED_LIMIT, type StateChunk, type Trie, type TrieEntry, TrieError } from "@cambium/trie";
import { ChainError } from "../errors.js";
import { hasTombstones } from "../tables/schema.js";
import type { FlatRecord } from "./flat-record.js";
import { type FlatTables, hashInReference, lengthInReference } from "./flat-tables.js";
import type { BlockId } from "./stored-states.js";
import { accountOf, isAccountKey, isCellKey, keysOfAccount, numberInId, tombstoneKey } from "./tombstone.js";

/**
 * Attempts to read a trie whose nodes another thread replaces. That thread does so at most once every some hundred
 * blocks.
 */
const MAX_ATTEMPTS = 4;

/** A state of the flat layout. Its trie is opened when it is first needed. */
abstract class FlatState implements KeyedState {
  protected opened: Trie | undefined;

  abstract readonly root: Uint8Array;
  /** See `FlatStateOptions`. */
  abstract readonly largeStorage: number;
  abstract get(key: Uint8Array): Uint8Array | undefined;
  abstract valueLength(key: Uint8Array): number;
  abstract valueHash(key: Uint8Array): Uint8Array | undefined;
  /** Opens the trie; `reload` ignores what is in memory. */
  protected abstract openTrie(reload: boolean): Trie;

  /** The state's trie, which must not be changed. */
  trie(reload = false): Trie {
    if (reload || this.opened === undefined) this.opened = this.openTrie(reload);
    return this.opened;
  }

  *entries(prefix?: Uint8Array, maxKeyBytes?: number): Generator<TrieEntry> {
    let last = "";
    for (let attempt = 1, isDone = false; !isDone; attempt++) {
      try {
        // A copy: the original may be modified while we iterate.
        for (const entry of this.trie()
          .copy()
          .entries(prefix, maxKeyBytes, (key) => this.get(key))) {
          const key = mapKey(entry.key);
          if (key <= last) continue;
          yield entry;
          last = key;
        }
        isDone = true;
      } catch (error) {
        this.reopen(error, attempt);
      }
    }
  }

  pathTo(key: Uint8Array): ReturnType<Trie["pathTo"]> {
    return this.withTrie((trie) => trie.pathTo(key));
  }

  nodeHash(key: Uint8Array): Uint8Array | undefined {
    return this.withTrie((trie) => trie.nodeHash(key));
  }

  stateSize(): number {
    return this.withTrie((trie) => trie.stateSize());
  }

  stateChunk(from: number, size?: number): StateChunk | undefined {
    return this.withTrie((trie) => trie.stateChunk(from, size, (key) => this.get(key)));
  }

  /**
   * Returns the hash of the highest node of an account's storage, if a tombstone is to replace the storage when the
   * account is destroyed.
   */
  storageToDetach(account: Uint8Array): Uint8Array | undefined {
    const storage = this.withTrie((trie) => trie.below(account));
    // Smaller storages have no separate nodes.
    const isLarge = storage !== undefined && storage.size > Math.max(this.largeStorage, PACKED_LIMIT);
    return isLarge ? storage.hash : undefined;
  }

  /**
   * Returns a trie of this state, to be changed into that of a state after it: usually the state's own one, in place
   * (see `HeadTrie`). Undefined if there is none.
   */
  leaseTrie(_to: ChangedState): Trie | undefined {
    return undefined;
  }

  after(changes: readonly StateChange[]): this {
    return new ChangedState(this, changes) as FlatState as this;
  }

  /** Opens the trie again if another thread has replaced stored nodes during the read. */
  protected withTrie<T>(use: (trie: Trie) => T): T {
    for (let attempt = 1; ; attempt++) {
      try {
        return use(this.trie());
      } catch (error) {
        this.reopen(error, attempt);
      }
    }
  }

  /** Throws the error unless nodes are missing. */
  private reopen(error: unknown, attempt: number): void {
    const isMissing = error instanceof TrieError && error.code === "MISSING_NODE";
    if (!isMissing || attempt === MAX_ATTEMPTS) throw error;
    this.trie(true);
  }
}

/** Source of the values of a {@link BlockState}. */
export interface BlockStateSource {
  readonly tables: FlatTables;
  /** Whether another thread may change the tables. */
  readonly isShared: boolean;
  /** See `FlatStateOptions`. */
  readonly largeStorage: number;
  /** The newest record of a key. */
  newestRecord(key: Uint8Array): FlatRecord | undefined;
  /** Returns the position of the values of a block's state. Throws {@link ChainError} `STATE_UNAVAILABLE`. */
  locate(block: BlockId): ValuesPosition;
  /** Whether values can still be read there: reorganisations and the end of the history change that. */
  isCurrent(position: ValuesPosition): boolean;
  /** Throws {@link ChainError} `STATE_UNAVAILABLE`. */
  trieOf(state: BlockState, reload: boolean): Trie;
  /** See {@link FlatState.leaseTrie}. */
  leaseTrie?(state: BlockState, to: ChangedState): Trie | undefined;
}

/**
 * Position of the values of a state: those after a block of the best chain, except those that blocks on top of it have
 * changed.
 */
export interface ValuesPosition extends BlockId {
  readonly changed: ReadonlyMap<string, Uint8Array | undefined> | undefined;
}

/** Maximum memory for cached values, in bytes, including the overhead of each entry. */
const MAX_REMEMBERED = 8_388_608;
const ENTRY = 100;

/** The state after a stored block. */
export class BlockState extends FlatState {
  /** Values that were read, cached if another thread may change the tables: the values of a block never change. */
  private readonly values = new Map<string, Uint8Array | undefined>();
  private remembered = 0;
  private readonly hasTombstones: boolean;

  constructor(
    private readonly source: BlockStateSource,
    readonly block: BlockId,
    readonly root: Uint8Array,
    private position = source.locate(block),
  ) {
    super();
    // Tombstones that are added later belong to other blocks.
    this.hasTombstones = hasTombstones(source.tables.reader);
  }

  get largeStorage(): number {
    return this.source.largeStorage;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const stored = this.stored(key);
    return stored !== undefined && isCodeKey(key) ? this.source.tables.code(hashInReference(stored)) : stored;
  }

  valueLength(key: Uint8Array): number {
    const stored = this.stored(key);
    if (stored === undefined) return 0;
    return isCodeKey(key) ? lengthInReference(stored) : stored.length;
  }

  valueHash(key: Uint8Array): Uint8Array | undefined {
    const stored = this.stored(key);
    if (stored === undefined) return undefined;
    return isCodeKey(key) ? hashInReference(stored) : keccak256(stored);
  }

  /** The value of a key as the tables have it. */
  stored(key: Uint8Array): Uint8Array | undefined {
    if (!this.source.isShared) return this.read(key);
    const name = mapKey(key);
    const known = this.values.get(name);
    if (known !== undefined || this.values.has(name)) return known;
    const value = this.readShared(key);
    this.remembered += name.length + (value?.length ?? 0) + ENTRY;
    if (this.remembered <= MAX_REMEMBERED) this.values.set(name, value);
    return value;
  }

  /** Returns the value of a key, from tables that another thread may be changing. */
  private readShared(key: Uint8Array): Uint8Array | undefined {
    for (let isFirst = true; ; isFirst = false) {
      const { position } = this;
      try {
        const value = this.read(key);
        if (this.source.isCurrent(position)) return value;
      } catch (error) {
        if (!(error instanceof ChainError) || error.code !== "STATE_UNAVAILABLE") throw error;
        // A rewind removes the changes of later blocks: they are not needed then.
        if (!isFirst && this.source.isCurrent(position)) throw error;
      }
      // The block has left or joined the best chain, or left the history. Values that it alone needed may then be gone.
      this.position = this.source.locate(this.block);
    }
  }

  /** Whether the state is still within the history; imported blocks move it out. */
  get isKept(): boolean {
    return this.position.number >= this.source.tables.oldest();
  }

  override leaseTrie(to: ChangedState): Trie | undefined {
    return this.source.leaseTrie?.(this, to);
  }

  protected override openTrie(reload: boolean): Trie {
    return this.source.trieOf(this, reload);
  }

  private read(key: Uint8Array): Uint8Array | undefined {
    const { changed, number } = this.position;
    if (changed?.size) {
      const name = mapKey(key);
      if (changed.has(name)) return changed.get(name);
    }
    const version = this.source.tables.versionAt(key, number, this.source.newestRecord(key));
    return version === undefined || this.isHidden(key, version) ? undefined : version.value;
  }

  /** Whether a version of the best chain was written before the account's storage was destroyed. */
  private isHidden(key: Uint8Array, { changed }: FlatRecord): boolean {
    if (!this.hasTombstones || !isCellKey(key)) return false;
    const tombstone = this.stored(tombstoneKey(key));
    return tombstone !== undefined && changed < numberInId(tombstone);
  }
}

/** A state after changes that are not stored. */
export class ChangedState extends FlatState {
  /** Changed keys, with their values now; without cells that a tombstone hides. */
  readonly changed = new Map<string, { key: Uint8Array; value: Uint8Array | undefined }>();
  /** Destroyed accounts whose storages tombstones replace, and the hashes of the storages' highest nodes. */
  readonly detached = new Map<string, { account: Uint8Array; root: Uint8Array }>();
  readonly largeStorage: number;

  constructor(
    private readonly before: FlatState,
    private readonly changes: readonly StateChange[],
  ) {
    super();
    this.largeStorage = before.largeStorage;
    for (const { key, value, isPrefix } of changes) {
      if (isPrefix) this.removeAll(key);
      else this.changed.set(mapKey(key), { key, value: value?.length ? value : undefined });
    }
  }

  get root(): Uint8Array {
    return this.withTrie((trie) => trie.hash());
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const change = this.changed.get(mapKey(key));
    if (change !== undefined) return change.value;
    return this.isDetached(key) ? undefined : this.before.get(key);
  }

  valueLength(key: Uint8Array): number {
    const change = this.changed.get(mapKey(key));
    if (change !== undefined) return change.value?.length ?? 0;
    return this.isDetached(key) ? 0 : this.before.valueLength(key);
  }

  valueHash(key: Uint8Array): Uint8Array | undefined {
    const change = this.changed.get(mapKey(key));
    if (change !== undefined) return change.value && keccak256(change.value);
    return this.isDetached(key) ? undefined : this.before.valueHash(key);
  }

  /** Changes a trie of the previous state into that of this state. */
  applyTo(trie: Trie): void {
    if (this.changes.some(({ isPrefix }) => isPrefix)) this.applyInOrder(trie);
    else {
      // Puts keys in the order of the stored nodes: neighbours are then read from one block of the database.
      for (const name of [...this.changed.keys()].sort()) {
        const { key, value } = this.changed.get(name)!;
        trie.put(key, value);
      }
    }
  }

  private applyInOrder(trie: Trie): void {
    for (const { key, value, isPrefix } of this.changes) {
      if (!isPrefix) trie.put(key, value);
      else if (this.detached.has(mapKey(key))) trie.detach(key);
      else trie.deleteRecursive(key);
    }
  }

  /** Releases the trie: this state opens another one if needed. */
  releaseTrie(): Trie {
    const trie = this.trie();
    this.opened = undefined;
    return trie;
  }

  /** Reverts a leased trie to the previous state, and releases it. */
  revertTrie(trie: Trie): void {
    this.opened = undefined;
    for (const { key } of this.changed.values()) trie.put(key, this.before.get(key));
  }

  protected override openTrie(reload: boolean): Trie {
    const trie = (reload ? undefined : this.before.leaseTrie(this)) ?? this.before.trie(reload).copy();
    this.applyTo(trie);
    return trie;
  }

  private removeAll(prefix: Uint8Array): void {
    if (this.valueLength(prefix) === 0) return;
    const name = mapKey(prefix);
    for (const [other, change] of this.changed) if (other.startsWith(name)) change.value = undefined;
    const root = isAccountKey(prefix) ? this.before.storageToDetach(prefix) : undefined;
    if (root !== undefined) this.detached.set(name, { account: prefix, root });
    const removed = root === undefined ? this.keysOf(prefix) : keysOfAccount(prefix);
    for (const key of removed) this.changed.set(mapKey(key), { key, value: undefined });
  }

  private *keysOf(prefix: Uint8Array): Generator<Uint8Array> {
    for (const { key } of this.before.entries(prefix)) yield key;
  }

  private isDetached(key: Uint8Array): boolean {
    return this.detached.size > 0 && isCellKey(key) && this.detached.has(mapKey(accountOf(key)));
  }
}
