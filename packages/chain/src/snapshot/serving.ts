import { STATE_CHUNK_BYTES } from "@cambium/trie";

/** Parameters of a snapshot server; smaller values are for tests and local networks. */
export interface SnapshotServing {
  /** A checkpoint is `depth` blocks below a multiple of this number. */
  interval: number;
  depth: number;
  /** Number of blocks below the checkpoint that are sent with its status. */
  blocks: number;
  chunkBytes: number;
}

/** Parameters of the deployed network (`spec/07 §B.7`). */
export const SNAPSHOT_SERVING: SnapshotServing = {
  interval: 5_000,
  depth: 3_840,
  blocks: 400,
  chunkBytes: STATE_CHUNK_BYTES,
};
