import type { PeerId } from "../interface.js";
import type { ScoringEvent } from "./events.js";

/** Whom an event is about: both, where both are known. */
export interface ScoredSubject {
  peer?: PeerId;
  ip?: string;
}

/** One entry of the scoring tables as operators see it (`spec/07 §C.5`). */
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

/** Sums over all entries, `spec/07 §C.5`. */
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

/** What operators do and read: the `sco` module of JSON-RPC. Texts that are no address or block throw `NetworkingError`. */
export interface ScoringDesk {
  banAddress(text: string): void;
  unbanAddress(text: string): void;
  bannedAddresses(): readonly string[];
  /** Nodes first, then addresses. */
  peerList(): readonly ScoringReport[];
  reputationSummary(): ReputationSummary;
  /** Forgets an address or a node, by its address, peer id or hex node id. */
  clearPeerScoring(id: string): void;
}

/** What the connection gate, the peer manager and gossip ask and tell. */
export interface PeerScoring extends ScoringDesk {
  record(subject: ScoredSubject, event: ScoringEvent): void;
  /** Neither banned nor under punishment. */
  isGoodPeer(id: PeerId): boolean;
  /** Neither banned nor under punishment; loopback addresses are shared by many nodes and never bad. */
  isGoodAddress(ip: string): boolean;
  isBannedAddress(ip: string): boolean;
  /** For gossip's own score. */
  score(id: PeerId): number;
  /** Told when a subject stops being good, by punishment or ban; returns how to stop. */
  onBad(listener: (isBad: (subject: Required<ScoredSubject>) => boolean) => void): () => void;
}
