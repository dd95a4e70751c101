import { STATE_CHUNK_BYTES } from "@cambium/trie";
import type { Checkpoint } from "../interface.js";

/** What a node that begins with a snapshot decides. */
export interface SnapshotOptions {
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
  /** From the first peer with a snapshot on, how long others are waited for, in milliseconds. */
  gathering: number;
  /** How long until peers are asked again for what none of them had. */
  retryPause: number;
  /** How long a proved snapshot that nobody serves any more is waited for, until another one is begun with. */
  patience: number;
  /** Between two requests for history. */
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
