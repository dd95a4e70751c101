import type { PeerId } from "../interface.js";
import type { ScoringEvent } from "./events.js";

/** The peer and the address that an event is about, as far as they are known. */
export interface ScoredSubject {
  peer?: PeerId;
  ip?: string;
}

/** One entry of the scoring tables (`spec/07 §C.5`, `spec/09 §13.6`). */
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
  /** End of the punishment, in milliseconds since 1970; 0 if not punished. */
  punishedUntil: number;
  /** Beginning of a node's id on the deployed network, or an address. */
  id: string;
  type: "node" | "address";
  /** Peer id of a node, as in other lists of peers. */
  peer?: PeerId;
}

/** Sums over all entries (`spec/07 §C.5`, `spec/09 §13.6`). */
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

/** Administration of scores and bans: the `sco` module of JSON-RPC. */
export interface ScoringAdmin {
  /** Bans an address or block. Throws `NetworkingError` `INVALID_ADDRESS` for text that is neither. */
  banAddress(text: string): void;
  /** Removes a ban. Throws like {@link ScoringAdmin.banAddress}. */
  unbanAddress(text: string): void;
  bannedAddresses(): readonly string[];
  /** Returns the entries, nodes before addresses. */
  peerList(): readonly ScoringReport[];
  /** Returns the id of a node in {@link peerList}. */
  idOf(peer: PeerId): string;
  reputationSummary(): ReputationSummary;
  /** Removes the entry of an IP address, peer id or hex node id; an unknown one is ignored. */
  clearPeerScoring(id: string): void;
}

/** Scores and bans as used by the connection gate, the peer manager and gossip. */
export interface PeerScoring extends ScoringAdmin {
  record(subject: ScoredSubject, event: ScoringEvent): void;
  /** Whether a peer is neither banned nor under punishment. */
  isGoodPeer(id: PeerId): boolean;
  /**
   * Whether an address is neither banned nor under punishment. Loopback addresses, which many nodes share, are always
   * good.
   */
  isGoodAddress(ip: string): boolean;
  isBannedAddress(ip: string): boolean;
  /** Returns the score of a peer, which gossip adds to its own. */
  score(id: PeerId): number;
  /** Notifies the listener of every punishment and ban; returns a function that removes it. */
  onBad(listener: (isBad: (subject: Required<ScoredSubject>) => boolean) => void): () => void;
}
