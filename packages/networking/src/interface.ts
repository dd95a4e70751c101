import type { BlockHeader } from "@cambium/types";
import type { ScoringEvent } from "./scoring/events.js";

/**
 * A libp2p peer id as text. A peer of the deployed network has the peer id of its key too, so that scores, bans and
 * lists are the same on either wire.
 */
export type PeerId = string;

/** The networks that a node takes part in: its own over libp2p, and the deployed one over RLPx (`spec/07 §A`). */
export type WireName = "libp2p" | "rlpx";

/** Remote address of a connection. */
export interface PeerAddress {
  /** IPv4 or IPv6, as text. */
  ip: string;
  port: number;
}

/** What a peer claims about itself. */
export interface PeerStatus {
  bestNumber: number;
  /** 32 bytes. */
  bestHash: Uint8Array;
  totalDifficulty: bigint;
  /** Lowest height of the bodies that the node serves. */
  earliestBody: number;
  clientId: string;
}

/** At most `tokens` in a burst, refilled evenly within `window` milliseconds. */
export interface Rate {
  tokens: number;
  window: number;
}

/** Limits on requests to a peer, each in its own unit: heights, requests, headers, bodies, requests, blocks, chunks. */
export type RequestRates = Readonly<
  Record<"hashes" | "skeleton" | "headers" | "bodies" | "snap-status" | "snap-blocks" | "snap-chunk", Rate>
>;

/** What can be asked of a peer. It depends on the wire and on the peer's settings. */
export interface PeerCapabilities {
  servesSnapshots: boolean;
  /** Requests above these rates would be refused or dropped. */
  rates: RequestRates;
}

/** A connected peer whose Status is compatible with ours. Its claims change; see `peerStatus`. */
export interface Peer {
  readonly id: PeerId;
  readonly address: PeerAddress;
  readonly direction: "inbound" | "outbound";
  readonly wire: WireName;
  readonly capabilities: PeerCapabilities;
  /** Configured by the operator; limits do not apply. */
  readonly isTrusted: boolean;
  /** The latest claim: it orders the choice of peers and proves nothing. */
  readonly status: PeerStatus;
}

/** An error of a listener is logged and affects no other listener. */
export type NetworkEvent =
  | { kind: "peerConnected" | "peerStatus"; peer: Peer }
  /** `reason` is for operators: which side ended the connection, and why, as far as that is known. */
  | { kind: "peerDisconnected"; peer: Peer; reason?: string };

/** A block by height and hash. */
export interface BlockId {
  number: number;
  hash: Uint8Array;
}

/** A block's lists as received; their content is not checked. */
export interface BlockBody {
  /** Hash of the requested block. */
  hash: Uint8Array;
  /** RLP of each transaction. */
  transactions: readonly Uint8Array[];
  /** RLP of the list of uncles. */
  uncles: Uint8Array;
  /** RLP of what a compressed header of version 1 or 2 omits (`spec/01 §2.4`). */
  extension: Uint8Array | undefined;
}

/** Announces a block without sending it. */
export interface BlockAnnouncement extends BlockId {
  totalDifficulty: bigint;
}

/** An announcement of a peer. Those of the deployed network contain no total difficulty. */
export type ReceivedAnnouncement = BlockId & Partial<BlockAnnouncement>;

/** Result of validating a gossip message: relay it, drop it, or drop it and lower the score of its sender. */
export type Verdict = "accept" | "ignore" | "reject";

/**
 * Validate gossip messages before they are relayed (`spec/07 §D.8`). Size and encoding were checked. A handler that
 * throws counts as "ignore". `from` is the peer that relayed the message, not its author.
 */
/** Verdict on a block, with its number and hash if it was read. */
export interface BlockVerdict {
  verdict: Verdict;
  block?: BlockId;
}

export interface GossipHandlers {
  /** RLP of a whole block. */
  block(encoded: Uint8Array, from: PeerId): Promise<BlockVerdict>;
  blockHash(announcement: ReceivedAnnouncement, from: PeerId): Promise<Verdict>;
  /** Resolves when an accepted block has been executed, with whether it is stored. Without it all are. */
  isStored?(hash: Uint8Array): Promise<boolean>;
  /** RLP of 1 to `MAX_GOSSIP_TRANSACTIONS` transactions. */
  transactions(encoded: readonly Uint8Array[], from: PeerId): Promise<Verdict>;
}

/** A snapshot's anchor (`spec/07 §B.7`). */
export interface SnapshotStatus {
  /** Ascending; the last is the checkpoint. */
  blocks: readonly SnapshotBlock[];
  /** Bytes of the state at the checkpoint, as `spec/07 §B.9` counts them. */
  trieSize: number;
}

export interface SnapshotBlock {
  /** RLP of the block. */
  encoded: Uint8Array;
  /** As claimed. */
  totalDifficulty: bigint;
}

/** A part of a state (`spec/07 §B.9`), not verified. */
export interface SnapshotChunk {
  from: number;
  to: number;
  complete: boolean;
  /** RLP as received; `StateChunk` of the trie package decodes and verifies it. */
  encoded: Uint8Array;
}

/**
 * Requests to peers. They reject with `NetworkingError`; a peer that answered late, wrongly or not at all has been
 * scored for it. Callers report invalid content with {@link PeerNetwork.report}.
 */
export interface PeerRequests {
  /** In the order of `heights`, at most 64; undefined for heights that the peer does not have. */
  hashes(peer: PeerId, heights: readonly number[], signal?: AbortSignal): Promise<readonly (Uint8Array | undefined)[]>;
  /** Every 192nd block from the multiple of 192 at or below `start`, then the peer's best block. At most 64. */
  skeleton(peer: PeerId, start: number, count: number, signal?: AbortSignal): Promise<readonly BlockId[]>;
  /** The block with the hash and its ancestors, descending, in compressed form. At most 192; fewer at genesis. */
  headers(peer: PeerId, hash: Uint8Array, count: number, signal?: AbortSignal): Promise<readonly BlockHeader[]>;
  /**
   * Bodies as they arrive, in the order of `hashes`, at most 32; undefined for one that the peer does not have. May end
   * early. A body has the requested hash.
   */
  bodies(peer: PeerId, hashes: readonly Uint8Array[], signal?: AbortSignal): AsyncIterable<BlockBody | undefined>;
  /** RLP of whole blocks, like {@link PeerNetwork.bodies}. At most 16. */
  blocks(peer: PeerId, hashes: readonly Uint8Array[], signal?: AbortSignal): AsyncIterable<Uint8Array | undefined>;
  /** RLP of pooled transactions, like {@link PeerNetwork.bodies}. At most 256. */
  transactions(
    peer: PeerId,
    hashes: readonly Uint8Array[],
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array | undefined>;
  snapshotStatus(peer: PeerId, signal?: AbortSignal): Promise<SnapshotStatus>;
  /** The blocks below a height, ascending, at most 400. */
  snapshotBlocks(peer: PeerId, below: number, signal?: AbortSignal): Promise<readonly SnapshotBlock[]>;
  /** The chunk that starts at byte `from` of the state after a block. */
  snapshotChunk(peer: PeerId, blockNumber: number, from: number, signal?: AbortSignal): Promise<SnapshotChunk>;
}

/** The connected peers, requests to them, and gossip. */
export interface PeerNetwork extends PeerRequests {
  readonly ownId: PeerId;
  peers(): readonly Peer[];
  peer(id: PeerId): Peer | undefined;
  /** Returns a function that removes the listener. */
  on(listener: (event: NetworkEvent) => void): () => void;

  /** Scores a peer and its address, and disconnects it if `spec/07 §D.9` says so. */
  report(peer: PeerId, event: ScoringEvent, detail?: string): void;

  /**
   * Updates the claim of a peer that gossiped a block, if its total difficulty is higher than that of the last claim.
   */
  noteBest(peer: PeerId, number: number, hash: Uint8Array, totalDifficulty: bigint): void;

  /** Sets the validators of gossip; without them all gossip is ignored. */
  setGossipHandlers(handlers: GossipHandlers): void;
  /** Publishes a block once, not to the peer that sent it. Never rejects. */
  publishBlock(encoded: Uint8Array): Promise<void>;
  publishBlockHash(announcement: BlockAnnouncement): Promise<void>;
  /** RLP of each transaction; packed into as few messages as the limits allow. */
  publishTransactions(encoded: readonly Uint8Array[]): Promise<void>;
  /**
   * Passes on transactions of peers that have become pending, to peers on wires that relay no others. RLP of each.
   * Never rejects.
   */
  relayPending(encoded: readonly Uint8Array[]): Promise<void>;
}
