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

/** One peer or address in the scoring tables (`spec/09 §13.6`). */
export interface ScoringReport {
  successfulHandshakes: number;
  failedHandshakes: number;
  invalidNetworks: number;
  repeatedMessages: number;
  validBlocks: number;
  validTransactions: number;
  invalidBlocks: number;
  invalidTransactions: number;
  invalidMessages: number;
  timeoutMessages: number;
  unexpectedMessages: number;
  invalidHeader: number;
  score: number;
  punishments: number;
  goodReputation: boolean;
  /** Milliseconds since 1970; 0 when not punished. */
  punishedUntil: number;
  id: string;
  type: "node" | "address";
}

/** Sums over all entries (`spec/09 §13.6`). */
export interface ReputationSummary {
  count: number;
  successfulHandshakes: number;
  failedHandshakes: number;
  invalidHeader: number;
  validBlocks: number;
  invalidBlocks: number;
  validTransactions: number;
  invalidTransactions: number;
  invalidNetworks: number;
  invalidMessages: number;
  repeatedMessages: number;
  timeoutMessages: number;
  unexpectedMessages: number;
  peersTotalScore: number;
  punishments: number;
  goodReputationCount: number;
  badReputationCount: number;
}

/** What operators do and read of the behaviour of peers. */
export interface ScoringDesk {
  /** Throws a `CambiumError` with the code `INVALID_ADDRESS` for what is no address and no block. */
  banAddress(text: string): void;
  /** Throws as {@link ScoringDesk.banAddress}. */
  unbanAddress(text: string): void;
  bannedAddresses(): readonly string[];
  /** Nodes first, then addresses. */
  peerList(): readonly ScoringReport[];
  reputationSummary(): ReputationSummary;
  /** By address, peer id or hex node id; what is not known is no error. */
  clearPeerScoring(id: string): void;
}

/** Who this node is connected to. */
export interface PeerSource {
  /** Whether others can connect. */
  isListening(): boolean;
  /** One line for every known peer, as operators read them. */
  list(): readonly string[];
}
