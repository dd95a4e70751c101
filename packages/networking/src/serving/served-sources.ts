import type { ChainReader } from "@cambium/chain";
import type { SnapshotChunk, SnapshotStatus } from "../interface.js";

/** The data behind answers to peers. Reading it executes no block. */
export interface ServedSources {
  chain: ChainReader;
  /** RLP of a pooled transaction. */
  pooledTransaction(hash: Uint8Array): Uint8Array | undefined;
  /** Lowest height whose body is stored: 0 unless the node started from a snapshot. */
  earliestBody(): number;
  /** Undefined if the node serves no snapshots. */
  snapshots?: SnapshotSource | undefined;
}

/** Snapshots for peers (`spec/07 §B.7`, `§B.9`). */
export interface SnapshotSource {
  /** Undefined while the chain is too short. */
  status(): SnapshotStatus | undefined;
  /** Undefined for a block without a snapshot. `from` is a byte offset of `spec/07 §B.9`. */
  chunk(blockNumber: number, from: number): SnapshotChunk | undefined;
}
