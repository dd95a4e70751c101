import { ChainError } from "@cambium/chain-store";
import { equalBytes } from "@cambium/primitives";
import { type KeyedState, TrieState } from "@cambium/state";
import type { StateChunk } from "@cambium/trie";
import type { StoredChainReader } from "../stored-chain-reader.js";
import { SNAPSHOT_SERVING, type SnapshotServing } from "./serving.js";

/** A block as sent to peers: RLP, and the total difficulty up to it. */
export interface ServedBlock {
  encoded: Uint8Array;
  totalDifficulty: bigint;
}

export interface ServedSnapshot {
  /** Ascending; the last block is the checkpoint. */
  blocks: readonly ServedBlock[];
  /** Size of the checkpoint's state as defined in `spec/07 §B.9`. */
  trieSize: number;
}

/** A checkpoint with its state, which stays open: in the flat layout, opening it takes long. */
interface Checkpoint {
  readonly number: number;
  readonly hash: Uint8Array;
  /**
   * Undefined if the state is not stored, or if too many values have changed between it and the state of the stored
   * trie.
   */
  state: KeyedState | undefined;
  answer: ServedSnapshot | undefined;
}

/** Number of checkpoints whose states stay open, since a client may have begun with an earlier one. */
const CHECKPOINTS = 2;
/** Time between openings of states of other blocks, in milliseconds. */
const OTHER_BLOCK_PAUSE = 60_000;

/**
 * Serves states and blocks of a chain to nodes that synchronise from a snapshot. Executes nothing and caches little.
 */
export class SnapshotServer {
  /** Checkpoints that clients have requested, by number. */
  private readonly opened = new Map<number, Checkpoint>();
  private other: Checkpoint | undefined;
  /** Time from which the state of another block may be opened. */
  private nextOther = 0;

  constructor(
    private readonly chain: StoredChainReader,
    private readonly options: SnapshotServing = SNAPSHOT_SERVING,
  ) {}

  /** The newest checkpoint; undefined if the chain is too short or its state cannot be served. */
  status(): ServedSnapshot | undefined {
    const checkpoint = this.checkpoint(this.newest());
    if (checkpoint === undefined) return undefined;
    checkpoint.answer ??= this.read(checkpoint, (state) => ({
      blocks: this.blocksUpTo(checkpoint.number),
      trieSize: state.stateSize(),
    }));
    return checkpoint.answer;
  }

  /** A chunk of the state of a block of the best chain; undefined if it is not available. */
  chunk(blockNumber: number, from: number): StateChunk | undefined {
    const { chunkBytes } = this.options;
    if (!Number.isSafeInteger(from) || from < 0) return undefined;
    const checkpoint = this.isCheckpoint(blockNumber) ? this.checkpoint(blockNumber) : this.otherBlock(blockNumber);
    return checkpoint && this.read(checkpoint, (state) => state.stateChunk(from, chunkBytes));
  }

  private newest(): number {
    const { interval, depth } = this.options;
    const best = this.chain.best().header.number;
    return best - (best % interval) - depth;
  }

  /** Whether a block is one of the newest checkpoints. */
  private isCheckpoint(number: number): boolean {
    const age = (this.newest() - number) / this.options.interval;
    return Number.isInteger(age) && age >= 0 && age < CHECKPOINTS;
  }

  /**
   * Any other block, which a client may trust and start from. Opening its state may take seconds in the flat layout, so
   * that requests for many blocks are not answered.
   */
  private otherBlock(number: number): Checkpoint | undefined {
    const hash = this.chain.hashByNumber(number);
    if (hash === undefined) return undefined;
    if (this.other !== undefined && equalBytes(this.other.hash, hash)) return this.other;
    const state = this.stateAt(number);
    const opened = { number, hash, state, answer: undefined };
    if (state instanceof TrieState) return opened;
    const now = performance.now();
    if (now < this.nextOther) return undefined;
    this.nextOther = now + OTHER_BLOCK_PAUSE;
    this.other = opened;
    return opened;
  }

  private checkpoint(number: number): Checkpoint | undefined {
    const hash = number <= 0 ? undefined : this.chain.hashByNumber(number);
    if (hash === undefined) return undefined;
    const known = this.opened.get(number);
    if (known !== undefined && equalBytes(known.hash, hash)) return known;
    const opened = { number, hash, state: this.stateAt(number), answer: undefined };
    this.opened.set(number, opened);
    const oldest = this.newest() - CHECKPOINTS * this.options.interval;
    for (const other of this.opened.keys()) if (other <= oldest) this.opened.delete(other);
    return opened;
  }

  private stateAt(number: number): KeyedState | undefined {
    const hash = this.chain.hashByNumber(number);
    return hash && this.chain.stateAfter(hash)?.state;
  }

  /** A state that can no longer be read is not tried again. */
  private read<T>(checkpoint: Checkpoint, use: (state: KeyedState) => T): T | undefined {
    if (checkpoint.state === undefined) return undefined;
    try {
      return use(checkpoint.state);
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== "STATE_UNAVAILABLE") throw error;
      checkpoint.state = undefined;
      checkpoint.answer = undefined;
      return undefined;
    }
  }

  private blocksUpTo(checkpoint: number): ServedBlock[] {
    const blocks: ServedBlock[] = [];
    const lowest = Math.max(checkpoint - this.options.blocks, this.chain.earliestBlock());
    for (let number = lowest; number <= checkpoint; number++) {
      const hash = this.chain.hashByNumber(number);
      const encoded = hash && this.chain.encodedBlock(hash);
      const totalDifficulty = hash && this.chain.totalDifficulty(hash);
      if (encoded !== undefined && totalDifficulty !== undefined) blocks.push({ encoded, totalDifficulty });
    }
    return blocks;
  }
}
