import type { BlockInput, ChainEvent, ChainReader, ImportResult } from "@cambium/chain";
import type { PeerId } from "@cambium/networking";

/** Functions of the chain that synchronisation uses; `Chain` implements them. */
export interface SyncChain extends ChainReader {
  import(input: BlockInput): Promise<ImportResult>;
  on(listener: (event: ChainEvent) => void): () => void;
  /** Records, across restarts, that a block whose header has proof of work is invalid. */
  rememberInvalid(hash: Uint8Array): Promise<void>;
}

/** The present step of synchronisation. */
export type SyncPhase =
  /** There are no peers. */
  | "waiting"
  | "connection-point"
  | "headers"
  | "bodies"
  | "snapshot"
  /** The chain is at the tip: gossip delivers new blocks. */
  | "following";

/** Progress for the status line and the metrics. */
export interface SyncProgress {
  phase: SyncPhase;
  /** Height of our best block. */
  current: number;
  /** Highest claimed or verified height; `current` when following. */
  target: number;
  /** Number of blocks a second over the last half minute. */
  blocksPerSecond: number;
  /** Million gas a second over the last half minute. */
  mgasPerSecond: number;
  peers: number;
  /** Remaining time in seconds; undefined if unknown. */
  timeLeft: number | undefined;
  /** The peer that has delivered most, if any. */
  from: PeerId | undefined;
}

/** Result of `eth_syncing`: false, or start, present height and target of the long synchronisation (`spec/07 §C.6`). */
export type SyncStatus = false | { startingBlock: number; currentBlock: number; highestBlock: number };

/** A block that the chain must contain. */
export interface Checkpoint {
  number: number;
  hash: Uint8Array;
}
