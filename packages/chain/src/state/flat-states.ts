import { mapKey, numberKey } from "@cambium/database";
import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { type NodeCache, Trie } from "@cambium/trie";
import { ChainError } from "../errors.js";
import { type BlockOutcome, hasState } from "../store/block-outcome.js";
import { TABLES } from "../store/tables.js";
import type { FlatRecord } from "./flat-record.js";
import { BlockState, type BlockStateSource, type ValuesPosition } from "./flat-state.js";
import { FlatTables, type TrieBlock } from "./flat-tables.js";
import { type DiffEntry, decodeDiff } from "./state-diff.js";
import type { BlockId, StateSource, StoredStates } from "./stored-states.js";

/**
 * Number of tries that are kept open, and of keys in which they may differ from the one they were opened from: what differs is in
 * memory, some 6 KB a key.
 */
const OPEN_TRIES = 2;
const MAX_KEPT_DIFFERENCES = 10_000;

/** Number of keys in which states may differ for work that need not be fast: more than what is written at once far behind. */
export const MANY_DIFFERENCES = 200_000;

/** A trie and the block whose state it is. */
export interface OpenTrie {
  readonly block: BlockId;
  readonly trie: Trie;
}

/** The states of a chain in the flat layout. */
export class FlatStates implements StoredStates, BlockStateSource {
  readonly layout = "flat";
  readonly isShared: boolean = true;
  readonly tables: FlatTables;
  private openTries: OpenTrie[] = [];
  /** The state that was read last, if another thread may change the tables. */
  private recent: BlockState | undefined;
  /** Hash of the block whose trie was stored when the others were opened. */
  private storedHash: Uint8Array = EMPTY_BYTES;

  constructor(
    protected readonly source: StateSource,
    protected readonly cache: NodeCache | undefined,
    /** Number of keys in which a state may differ from the nearest one whose trie is open: each takes some 50 µs. */
    private readonly maxDifferences = 20_000,
  ) {
    this.tables = new FlatTables(source.reader);
  }

  after(block: BlockId, outcome: BlockOutcome): BlockState | undefined {
    if (!hasState(outcome)) return undefined;
    // Most requests read the newest state, and much the same of it.
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
    const oldest = this.tables.oldest();
    let { number, hash } = block;
    while (!this.isBest({ number, hash })) {
      const diff = this.tables.reader.get(TABLES.sideDiffs, hash);
      const parent = diff && this.source.parentOf(hash);
      if (parent === undefined) throw unavailable(block);
      for (const { key, bytes } of decodeDiff(diff!, number)) {
        const name = mapKey(key);
        if (!changed.has(name)) changed.set(name, bytes);
      }
      hash = parent;
      number--;
    }
    if (number < oldest) throw unavailable(block);
    return { number, hash, changed };
  }

  isCurrent(position: ValuesPosition): boolean {
    return this.isBest(position) && position.number >= this.tables.oldest();
  }

  trieOf(state: BlockState, anew: boolean): Trie {
    if (anew) this.forgetTries();
    const { below, keys } = this.nearest(state.block);
    const trie = below.copy();
    for (const key of keys) trie.put(key, state.get(key));
    if (!equalBytes(trie.hash(), state.root)) {
      // Another thread has replaced the trie meanwhile.
      if (!anew && this.isShared) return this.trieOf(state, true);
      throw new ChainError({ code: "DATABASE_DAMAGED", what: "state of a block", key: state.block.hash });
    }
    if (keys.length <= MAX_KEPT_DIFFERENCES) this.keep({ block: state.block, trie });
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
    return { block, trie: new Trie(this.tables.nodes, block.root, this.cache) };
  }

  /** Keys in which the states after two blocks may differ; undefined if they are too many, or not known any more. */
  protected differences(one: BlockId, other: BlockId): readonly Uint8Array[] | undefined {
    const keys = new Map<string, Uint8Array>();
    let [a, b] = [one, other];
    while (!equalBytes(a.hash, b.hash)) {
      if (a.number < b.number) [a, b] = [b, a];
      const changes = this.changesOf(a);
      const parentHash = this.source.parentOf(a.hash);
      if (changes === undefined || parentHash === undefined) return undefined;
      for (const { key } of changes) keys.set(mapKey(key), key);
      if (keys.size > this.maxDifferences) return undefined;
      a = { number: a.number - 1, hash: parentHash };
    }
    return [...keys.values()];
  }

  /** Tries that are opened by this object, beside those that it keeps. */
  protected available(): OpenTrie[] {
    const stored = this.storedTrie();
    // Older tries refer to nodes that another thread has replaced; and what they have created would stay in memory.
    if (!equalBytes(stored.block.hash, this.storedHash)) {
      this.forgetTries();
      this.cache?.clear();
      this.storedHash = stored.block.hash;
    }
    return [stored, ...this.pinnedTries()];
  }

  private pinnedTries(): OpenTrie[] {
    const pinned = this.tables.pinned();
    return pinned.map((block, i) => ({ block, trie: new Trie(this.tables.pinnedNodes(pinned.slice(i)), block.root) }));
  }

  /** The trie of a block near another one, and the keys in which their states may differ. */
  private nearest(block: BlockId): { below: Trie; keys: readonly Uint8Array[] } {
    const distance = (open: OpenTrie) => Math.abs(open.block.number - block.number);
    const candidates = [...this.available(), ...this.openTries].sort((a, b) => distance(a) - distance(b));
    for (const open of candidates) {
      const keys = this.differences(open.block, block);
      if (keys !== undefined) return { below: open.trie, keys };
    }
    throw unavailable(block);
  }

  protected keep(open: OpenTrie): void {
    open.trie.retain();
    this.openTries = [open, ...this.openTries].slice(0, OPEN_TRIES);
  }

  protected forgetTries(): void {
    this.openTries = [];
  }

  /** What a block has changed; undefined if that is not stored. */
  protected changesOf({ number, hash }: BlockId): Iterable<DiffEntry> | undefined {
    const { reader } = this.tables;
    const diff = this.isBest({ number, hash })
      ? reader.get(TABLES.stateDiffs, numberKey(number))
      : reader.get(TABLES.sideDiffs, hash);
    return diff && decodeDiff(diff, number);
  }
}

const TABLE_KEY = Uint8Array.of(TABLES.trieNodes);

function unavailable({ number }: BlockId): ChainError {
  return new ChainError({ code: "STATE_UNAVAILABLE", number });
}
