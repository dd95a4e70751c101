import type { ChainEvent, ChainReader, ImportResult } from "@cambium/chain";
import type { PeerId } from "@cambium/networking";

/** The chain as synchronisation uses it: reading, and the one way in for blocks. `Chain` is one. */
export interface SyncChain extends ChainReader {
  import(encoded: Uint8Array): Promise<ImportResult>;
  on(listener: (event: ChainEvent) => void): () => void;
  /** Remembers, over restarts, that a block whose header has proof of work can never be imported. */
  rememberInvalid(hash: Uint8Array): Promise<void>;
}

/** What the node is doing about blocks it does not have. */
export type SyncPhase =
  /** Nobody to learn from yet. */
  | "waiting"
  | "connection-point"
  | "headers"
  | "bodies"
  | "snapshot"
  /** At the tip: blocks come by themselves. */
  | "following";

/** One look at the progress: what the status line and the metrics show. */
export interface SyncProgress {
  phase: SyncPhase;
  /** Best block here. */
  current: number;
  /** Highest block that is believed to exist; `current` when following. */
  target: number;
  /** Blocks a second over the last half minute. */
  blocksPerSecond: number;
  peers: number;
  /** Seconds; undefined when it cannot be told. */
  timeLeft: number | undefined;
  /** Of the peer that most comes from, if any. */
  from: PeerId | undefined;
}

/** `eth_syncing`: false, or where the long synchronisation began and goes (`spec/07 §C.6`). */
export type SyncStatus = false | { startingBlock: number; currentBlock: number; highestBlock: number };

/** A block that every chain must contain. */
export interface Checkpoint {
  number: number;
  hash: Uint8Array;
}
