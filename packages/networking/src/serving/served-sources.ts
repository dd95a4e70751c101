import type { ChainReader } from "@cambium/chain";
import type { SnapshotChunk, SnapshotStatus } from "../interface.js";

/** Data sources for answers to peers. Reading them executes no block. */
export interface ServedSources {
  chain: ChainReader;
  /** RLP of a pooled transaction. */
  pooledTransaction(hash: Uint8Array): Uint8Array | undefined;
  /** Lowest height whose body is stored: 0 unless the node started from a snapshot. */
  earliestBody(): number;
  /** Snapshots; undefined if the node serves none. */
  snapshots?: SnapshotSource | undefined;
}

/** Snapshots for peers (`spec/07 §B.7`, `§B.9`). */
export interface SnapshotSource {
  /** Returns the status; undefined while the chain is too short. */
  status(): SnapshotStatus | undefined;
  /** Returns a chunk; undefined for a block without a snapshot. `from` is a byte offset of `spec/07 §B.9`. */
  chunk(blockNumber: number, from: number): SnapshotChunk | undefined;
}
