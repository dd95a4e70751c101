import type { KeyValueReader } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import { readStateChunk, type StateChunk, stateSize } from "@cambium/trie";
import type { StoredChainReader } from "../store/reader.js";
import { TABLES } from "../store/tables.js";
import { SNAPSHOT_SERVING, type SnapshotServing } from "./serving.js";

/** A block as it is sent to peers: RLP, and the total difficulty up to it. */
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

/**
 * Serves states and blocks of a chain to nodes that synchronise from a snapshot. Executes nothing and caches little.
 */
export class SnapshotServer {
  private latest: { checkpoint: Uint8Array; answer: ServedSnapshot } | undefined;

  /** `database` is the database that `chain` reads. */
  constructor(
    private readonly chain: StoredChainReader,
    private readonly database: KeyValueReader,
    private readonly options: SnapshotServing = SNAPSHOT_SERVING,
  ) {}

  /** The newest checkpoint; undefined if the chain is too short or does not have its state. */
  status(): ServedSnapshot | undefined {
    const { interval, depth } = this.options;
    const best = this.chain.best().header.number;
    const number = best - (best % interval) - depth;
    if (number <= 0) return undefined;
    const hash = this.chain.hashByNumber(number);
    const root = hash && this.chain.stateAfter(hash)?.root;
    if (hash === undefined || root === undefined) return undefined;
    if (this.latest === undefined || !equalBytes(this.latest.checkpoint, hash)) {
      const answer = { blocks: this.blocksUpTo(number), trieSize: stateSize(this.nodes, root) };
      this.latest = { checkpoint: hash, answer };
    }
    return this.latest.answer;
  }

  /** A chunk of the state after a block of the best chain; undefined if it is not available. */
  chunk(blockNumber: number, from: number): StateChunk | undefined {
    const hash = this.chain.hashByNumber(blockNumber);
    const root = hash && this.chain.stateAfter(hash)?.root;
    if (root === undefined || !Number.isSafeInteger(from) || from < 0) return undefined;
    return readStateChunk(this.nodes, root, from, this.options.chunkBytes);
  }

  private get nodes() {
    return { get: (hash: Uint8Array) => this.database.get(TABLES.stateNodes, hash) };
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
