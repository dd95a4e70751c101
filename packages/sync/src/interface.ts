import type { BlockInput, ChainEvent, ChainReader, ImportResult } from "@cambium/chain";
import type { PeerId } from "@cambium/networking";

/** The chain as synchronisation uses it; `Chain` implements it. */
export interface SyncChain extends ChainReader {
  import(input: BlockInput): Promise<ImportResult>;
  on(listener: (event: ChainEvent) => void): () => void;
  /** Records, across restarts, that a block whose header has proof of work is invalid. */
  rememberInvalid(hash: Uint8Array): Promise<void>;
}

/** The present step of synchronisation. */
export type SyncPhase =
  /** No peers. */
  | "waiting"
  | "connection-point"
  | "headers"
  | "bodies"
  | "snapshot"
  /** At the tip: gossip delivers new blocks. */
  | "following";

/** Progress for the status line and the metrics. */
export interface SyncProgress {
  phase: SyncPhase;
  /** Height of our best block. */
  current: number;
  /** Highest claimed or verified height; `current` when following. */
  target: number;
  /** Blocks a second over the last half minute. */
  blocksPerSecond: number;
  /** Million gas a second, likewise. */
  mgasPerSecond: number;
  peers: number;
  /** Seconds; undefined if unknown. */
  timeLeft: number | undefined;
  /** The peer that has delivered most, if any. */
  from: PeerId | undefined;
}

/** `eth_syncing`: false, or start, present height and target of the long synchronisation (`spec/07 §C.6`). */
export type SyncStatus = false | { startingBlock: number; currentBlock: number; highestBlock: number };

/** A block that the chain must contain. */
export interface Checkpoint {
  number: number;
  hash: Uint8Array;
}
