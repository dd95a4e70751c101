import type { ChainEvent } from "@cambium/chain";

// What pushes news into this package. Every `on…` returns how to stop.

/** Told of every stored block, in order: `Chain` is one. */
export interface ChainEventSource {
  on(listener: (event: ChainEvent) => void): () => void;
}

/** Told of transactions that became pending, for whatever reason (`spec/09 §9.5`, `§10.1`). */
export interface PendingTransactionSource {
  onPending(listener: (hashes: readonly Uint8Array[]) => void): () => void;
}

/** Progress of the long synchronisation, or false: `spec/09 §6.5`. */
export type SyncStatus = false | { startingBlock: number; currentBlock: number; highestBlock: number };

/** Progress of the long synchronisation. */
export interface SyncStatusSource {
  status(): SyncStatus;
  /** Told when the synchronisation starts (its status) and when it ends (false). */
  onChange(listener: (status: SyncStatus) => void): () => void;
}

/** All of them; what is left out never has news. */
export interface NewsSources {
  events?: ChainEventSource;
  pendingTransactions?: PendingTransactionSource;
  sync?: SyncStatusSource;
}

/** Who this node is connected to. */
export interface PeerSource {
  /** Whether others can connect. */
  isListening(): boolean;
  /** One line for every known peer, as operators read them. */
  list(): readonly string[];
}
