import type { ChainReader } from "@cambium/chain";
import type { SnapshotChunk, SnapshotStatus } from "../interface.js";

/** Whom answers to peers come from. Nothing of it executes anything. */
export interface ServedSources {
  chain: ChainReader;
  /** RLP of a pooled transaction. */
  pooledTransaction(hash: Uint8Array): Uint8Array | undefined;
  /** Lowest height whose body is there: 0 unless the node began with a snapshot. */
  earliestBody(): number;
  /** Left out: a node that serves no snapshots. */
  snapshots?: SnapshotSource | undefined;
}

/** Snapshots as they are served (`spec/07 §B.7`, `§B.9`). */
export interface SnapshotSource {
  /** Undefined while the chain is too short. */
  status(): SnapshotStatus | undefined;
  /** Undefined for a block without a snapshot. `from` counts the bytes of `spec/07 §B.9`. */
  chunk(blockNumber: number, from: number): SnapshotChunk | undefined;
}
