import { mapKey, numberKey } from "@cambium/database";
import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { type NodeCache, type NodeReader, Trie, TrieError } from "@cambium/trie";
import { ChainError } from "../errors.js";
import { type BlockOutcome, hasState } from "../tables/block-outcome.js";
import { hasTombstones } from "../tables/schema.js";
import { TABLES } from "../tables/tables.js";
import type { FlatRecord } from "./flat-record.js";
import { BlockState, type BlockStateSource, type ValuesPosition } from "./flat-state.js";
import { LARGE_STORAGE } from "./flat-state-options.js";
import { FlatTables, type TrieBlock } from "./flat-tables.js";
import { type DiffEntry, decodeDiff } from "./state-diff.js";
import { StateDifference } from "./state-difference.js";
import type { BlockId, StateSource, StoredStates, ValueChanges } from "./stored-states.js";
import { ID_BYTES, isCellKey, isTombstoneKey, type StorageIds, tombstoneKey } from "./tombstone.js";

/**
 * Number of tries that are kept open, and of keys in which they may differ from the trie they were opened from. The
 * differences are in memory, some 6 KB a key.
 */
const OPEN_TRIES = 2;
const MAX_KEPT_DIFFERENCES = 10_000;

/**
 * Number of keys in which states may differ for work that need not be fast. It exceeds the number written together
 * while the chain is far behind.
 */
export const MANY_DIFFERENCES = 200_000;

/** A trie and the block whose state it is. */
export interface OpenTrie {
  readonly block: BlockId;
  readonly trie: Trie;
  /** The stored trie, and the pinned tries that it is read from if it is one of these. */
  readonly isStored?: boolean;
  readonly pinned?: readonly TrieBlock[];
}

/** The states of a chain in the flat layout. */
export class FlatStates implements StoredStates, BlockStateSource {
  readonly layout = "flat";
  readonly isShared: boolean = true;
  readonly largeStorage: number = LARGE_STORAGE;
  readonly tables: FlatTables;
  private openTries: OpenTrie[] = [];
  /** The state that was read last, if another thread may change the tables. */
  private recent: BlockState | undefined;
  /** Hash of the block whose trie was stored when the open tries were opened. */
  private storedHash: Uint8Array = EMPTY_BYTES;

  constructor(
    protected readonly source: StateSource,
    protected readonly cache: NodeCache | undefined,
    /**
     * Maximum number of keys in which a state may differ from the nearest one with an open trie: each takes some 50 µs.
     */
    private readonly maxDifferences = 20_000,
  ) {
    this.tables = new FlatTables(source.reader);
  }

  get changes(): ValueChanges {
    return this.tables;
  }

  after(block: BlockId, outcome: BlockOutcome): BlockState | undefined {
    if (!hasState(outcome)) return undefined;
    // Requests usually read the newest state, and much the same parts of it.
    if (this.recent !== undefined && equalBytes(this.recent.block.hash, block.hash) && this.recent.isKept)
      return this.recent;
    try {
      const state = new BlockState(this, block, outcome.stateRoot);
      if (this.isShared) this.recent = state;
      return state;
    } catch (error) {
      if (error instanceof ChainError && error.code === "STATE_UNAVAILABLE") return undefined;
      throw error;
    }
  }

  newestRecord(key: Uint8Array): FlatRecord | undefined {
    return this.tables.record(key);
  }

  locate(block: BlockId): ValuesPosition {
    const changed = new Map<string, Uint8Array | undefined>();
    const destroyed = new Set<string>();
    const oldest = this.tables.oldest();
    let { number, hash } = block;
    while (!this.isBest({ number, hash })) {
      const diff = this.tables.reader.get(TABLES.sideDiffs, hash);
      const parent = diff && this.source.parentOf(hash);
      if (parent === undefined) throw unavailable(block);
      addBelow(changed, destroyed, decodeDiff(diff!, number));
      hash = parent;
      number--;
    }
    if (number < oldest) throw unavailable(block);
    return { number, hash, changed };
  }

  isCurrent(position: ValuesPosition): boolean {
    return this.isBest(position) && position.number >= this.tables.oldest();
  }

  trieOf(state: BlockState, reload: boolean): Trie {
    if (reload) this.forgetTries();
    let missing: unknown;
    for (const open of this.candidates(state.block)) {
      const difference = this.differences(open, state.block);
      if (difference === undefined) continue;
      try {
        return this.changedInto(state, open, difference, reload);
      } catch (error) {
        // The nodes of a storage that was destroyed on another branch may be missing: another trie may not need them.
        if (!difference.attaches || !isMissingNode(error)) throw error;
        missing = error;
      }
    }
    if (missing !== undefined && this.isShared && !reload) throw missing;
    throw unavailable(state.block);
  }

  private changedInto(state: BlockState, open: OpenTrie, difference: StateDifference, reload: boolean): Trie {
    const { block } = state;
    const trie = this.changed(open, state, difference);
    if (!equalBytes(trie.hash(), state.root)) {
      // Another thread has replaced the trie in the meantime.
      if (!reload && this.isShared) return this.trieOf(state, true);
      throw new ChainError({ code: "DATABASE_DAMAGED", what: "state of a block", key: block.hash });
    }
    if (difference.size <= MAX_KEPT_DIFFERENCES) this.keep({ block, trie, pinned: open.pinned });
    return trie;
  }

  /** Returns the unverified trie of a state, changed from that of another block. */
  protected changed({ trie: from, pinned }: OpenTrie, state: BlockState, difference: StateDifference): Trie {
    const trie = from.copy(this.nodesAt(state.block, pinned));
    difference.applyTo(trie, (key) => state.get(key));
    return trie;
  }

  protected isBest({ number, hash }: BlockId): boolean {
    const best = this.tables.reader.get(TABLES.bestChain, numberKey(number));
    return best !== undefined && equalBytes(best, hash);
  }

  /** The stored trie. */
  protected storedTrie(): OpenTrie & { block: TrieBlock } {
    const block = this.tables.trieBlock();
    if (block === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "state trie", key: TABLE_KEY });
    return { block, trie: new Trie(this.nodesAt(block), block.root, this.cache), isStored: true };
  }

  /** Nodes of the trie of the state after a block, which may be read from pinned tries. */
  nodesAt(block: BlockId, pinned?: readonly TrieBlock[]): NodeReader {
    return this.tables.nodesOf(this.idsAt(block), pinned);
  }

  /** See {@link StorageIds}; ids after a block. */
  idsAt(block: BlockId): StorageIds {
    return (key) => {
      if (!hasTombstones(this.tables.reader)) return undefined;
      try {
        return new BlockState(this, block, EMPTY_BYTES).stored(tombstoneKey(key))?.slice(0, ID_BYTES);
      } catch (error) {
        // The node is then found missing.
        if (error instanceof ChainError) return undefined;
        throw error;
      }
    };
  }

  /**
   * Returns the keys in which the state after a block may differ from one whose trie is open. Undefined if there are
   * too many, or if they are no longer known.
   */
  protected differences(open: OpenTrie, block: BlockId): StateDifference | undefined {
    const difference = new StateDifference();
    let [from, to]: BlockId[] = [open.block, block];
    while (!equalBytes(from!.hash, to!.hash)) {
      const isUndone = from!.number >= to!.number;
      const changer = isUndone ? from! : to!;
      const changes = this.changesOf(changer);
      const hash = this.source.parentOf(changer.hash);
      if (changes === undefined || hash === undefined) return undefined;
      for (const { key, bytes } of changes) {
        if (!isUndone) difference.make(key);
        else if (isTombstoneKey(key) && !this.isComplete(open, changer)) return undefined;
        else difference.undo(key, () => this.valueAfter(changer, key, bytes));
      }
      if (difference.size > this.maxDifferences) return undefined;
      const parent = { number: changer.number - 1, hash };
      if (isUndone) from = parent;
      else to = parent;
    }
    return difference;
  }

  /**
   * Whether all nodes of the storages that a block has destroyed, on the way to a state, are stored: its branch is, or
   * was, the best one.
   */
  private isComplete({ isStored = false }: OpenTrie, block: BlockId): boolean {
    return isStored || this.isBest(block);
  }

  /** Returns the value of a key after a block whose diff contains these bytes for it. */
  private valueAfter(block: BlockId, key: Uint8Array, bytes: Uint8Array | undefined): Uint8Array | undefined {
    return this.isBest(block) ? this.tables.versionAt(key, block.number, this.newestRecord(key))?.value : bytes;
  }

  /** Tries that this object opens, besides those that it keeps. */
  protected available(): OpenTrie[] {
    const stored = this.storedTrie();
    // Older tries refer to nodes that another thread has replaced, and their new nodes would stay in memory.
    if (!equalBytes(stored.block.hash, this.storedHash)) {
      this.forgetTries();
      this.cache?.clear();
      this.storedHash = stored.block.hash;
    }
    return [stored, ...this.pinnedTries()];
  }

  private pinnedTries(): OpenTrie[] {
    const all = this.tables.pinned();
    return all.map((block, i) => {
      const pinned = all.slice(i);
      return { block, trie: new Trie(this.nodesAt(block, pinned), block.root), pinned };
    });
  }

  /** Returns the open tries, those of the nearest blocks first. */
  private candidates(block: BlockId): OpenTrie[] {
    const distance = (open: OpenTrie) => Math.abs(open.block.number - block.number);
    return [...this.available(), ...this.openTries].sort((a, b) => distance(a) - distance(b));
  }

  protected keep(open: OpenTrie): void {
    open.trie.retain();
    this.openTries = [open, ...this.openTries].slice(0, OPEN_TRIES);
  }

  protected forgetTries(): void {
    this.openTries = [];
  }

  /** Returns the changes of a block; undefined if they are not stored. */
  protected changesOf({ number, hash }: BlockId): Iterable<DiffEntry> | undefined {
    const { reader } = this.tables;
    const diff = this.isBest({ number, hash })
      ? reader.get(TABLES.stateDiffs, numberKey(number))
      : reader.get(TABLES.sideDiffs, hash);
    return diff && decodeDiff(diff, number);
  }
}

/**
 * Adds the values that a block has set. Those that blocks above it have changed (`changed`) or destroyed are excluded;
 * `destroyed` contains the tombstones.
 */
function addBelow(
  changed: Map<string, Uint8Array | undefined>,
  destroyed: Set<string>,
  entries: Iterable<DiffEntry>,
): void {
  const own: string[] = [];
  const isHidden = (key: Uint8Array) =>
    destroyed.size > 0 && isCellKey(key) && destroyed.has(mapKey(tombstoneKey(key)));
  for (const { key, bytes } of entries) {
    const name = mapKey(key);
    if (isTombstoneKey(key)) own.push(name);
    if (!changed.has(name) && !isHidden(key)) changed.set(name, bytes);
  }
  // Tombstones of the block do not hide the values that it has set itself.
  for (const name of own) destroyed.add(name);
}

function isMissingNode(error: unknown): boolean {
  return error instanceof TrieError && error.code === "MISSING_NODE";
}

const TABLE_KEY = Uint8Array.of(TABLES.trieNodes);

function unavailable({ number }: BlockId): ChainError {
  return new ChainError({ code: "STATE_UNAVAILABLE", number });
}
