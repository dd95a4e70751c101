import { STATE_CHUNK_BYTES } from "@cambium/trie";
import type { Checkpoint } from "../interface.js";

/** Options of a node that starts from a snapshot. */
export interface SnapshotOptions {
  /**
   * A trusted block: headers are verified down to it instead of to genesis. If peers have no snapshot above it, it is
   * the block of the snapshot.
   */
  checkpoint: Checkpoint | undefined;
  /**
   * Number of blocks below the snapshot's block to download before the first execution, which reads up to 4000 earlier
   * blocks.
   */
  blocksBelow: number;
  /** Size of a chunk of state in bytes: the same for all nodes of a network. */
  chunkBytes: number;
  /** Number of chunks requested at the same time. */
  parallelChunks: number;
  /** Milliseconds to wait for more peers after the first one with a snapshot. */
  gathering: number;
  /** Milliseconds until peers are asked again for data that none of them had. */
  retryPause: number;
  /** Milliseconds to wait for a verified snapshot that no peer currently serves, before another one is chosen. */
  patience: number;
  /** Milliseconds between two requests for history. */
  historyPause: number;
}

/** Default options (`spec/07 §B.7`). */
export const SNAPSHOT_OPTIONS: SnapshotOptions = {
  checkpoint: undefined,
  blocksBelow: 6_000,
  chunkBytes: STATE_CHUNK_BYTES,
  parallelChunks: 8,
  gathering: 3_000,
  retryPause: 5_000,
  patience: 600_000,
  historyPause: 1_000,
};
