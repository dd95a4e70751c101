import { STATE_CHUNK_BYTES } from "@cambium/trie";
import type { Checkpoint } from "../interface.js";

/** What a node that begins with a snapshot decides. */
export interface SnapshotOptions {
  /** Blocks that peers must be ahead for a snapshot to be worth it (`spec/07 §B.0`). */
  minimumDistance: number;
  /**
   * A block that is trusted: headers are verified down to it instead of to genesis. It is the snapshot's own block where
   * peers have none above it.
   */
  checkpoint: Checkpoint | undefined;
  /** Blocks below the snapshot's that must be there before anything is executed, which looks back 4000. */
  blocksBelow: number;
  /** Bytes of state a chunk covers: the same everywhere on a network. */
  chunkBytes: number;
  /** Chunks asked for at once. */
  parallelChunks: number;
  /** How long a first peer with a snapshot is waited for, in milliseconds. */
  patience: number;
  /** From then on, how long others are waited for. */
  gathering: number;
  /** Between two requests for history, in milliseconds. */
  historyPause: number;
}

/** `spec/07 §B.7`. */
export const SNAPSHOT_OPTIONS: SnapshotOptions = {
  minimumDistance: 10_000,
  checkpoint: undefined,
  blocksBelow: 6_000,
  chunkBytes: STATE_CHUNK_BYTES,
  parallelChunks: 8,
  patience: 60_000,
  gathering: 5_000,
  historyPause: 1_000,
};
