import { STATE_CHUNK_BYTES } from "@cambium/trie";
import type { Checkpoint } from "../interface.js";

/** Options of a node that starts from a snapshot. */
export interface SnapshotOptions {
  /**
   * A trusted block: headers are verified down to it instead of to genesis. It is the block of the snapshot if peers
   * have none above it.
   */
  checkpoint: Checkpoint | undefined;
  /** Blocks below that of the snapshot to download before the first execution, which looks back 4000 blocks. */
  blocksBelow: number;
  /** Bytes of state in a chunk: the same for all nodes of a network. */
  chunkBytes: number;
  /** Chunks requested at the same time. */
  parallelChunks: number;
  /** Milliseconds to wait for more peers after the first one with a snapshot. */
  gathering: number;
  /** Milliseconds until peers are asked again for what none of them had. */
  retryPause: number;
  /** Milliseconds to wait for a verified snapshot that no peer serves now, before another one is chosen. */
  patience: number;
  /** Milliseconds between two requests for history. */
  historyPause: number;
}

/** `spec/07 §B.7`. */
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
