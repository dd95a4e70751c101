import type { ChainEvent } from "@cambium/chain";
import type { Work } from "@cambium/miner";
import type { Transaction } from "@cambium/types";

// Sources of events for filters and subscriptions. Every `on…` returns a function that removes the listener.

/** Emits an event for every stored block, in order; implemented by `Chain`. */
export interface ChainEventSource {
  on(listener: (event: ChainEvent) => void): () => void;
}

/** Emits transactions that become pending, for whatever reason (`spec/09 §9.5`, `§10.1`). */
export interface PendingEventSource {
  onPending(listener: (transactions: readonly Transaction[]) => void): () => void;
}

/** Progress of the long synchronisation, or false: `spec/09 §6.5`. */
export type SyncStatus = false | { startingBlock: number; currentBlock: number; highestBlock: number };

/** Progress of the long synchronisation. */
export interface SyncStatusSource {
  status(): SyncStatus;
  /** Calls the listener with the status when synchronisation starts, and with false when it ends. */
  onChange(listener: (status: SyncStatus) => void): () => void;
}

/** Emits new work for merged miners; implemented by `MinerServer`. */
export interface WorkEventSource {
  onWork(listener: (work: Work) => void): () => void;
}

/** All sources of events; an absent one never emits. */
export interface NewsSources {
  events?: ChainEventSource;
  pendingTransactions?: PendingEventSource;
  sync?: SyncStatusSource;
  work?: WorkEventSource;
}
