import type { BlockHeader } from "@cambium/types";
import type { ScoringEvent } from "./scoring/events.js";

/**
 * A libp2p peer id as text. A peer of the deployed network has the peer id of its key too. Scores, bans and lists are
 * therefore the same on either wire.
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

/** A peer's claims about itself. */
export interface PeerStatus {
  bestNumber: number;
  /** Hash of the best block, 32 bytes. */
  bestHash: Uint8Array;
  totalDifficulty: bigint;
  /** Lowest height of the bodies that the node serves. */
  earliestBody: number;
  clientId: string;
}

/** Token bucket: at most `tokens` in a burst, refilled evenly within `window` milliseconds. */
export interface Rate {
  tokens: number;
  window: number;
}

/** Limits on requests to a peer, each in its own unit: heights, requests, headers, bodies, requests, blocks, chunks. */
export type RequestRates = Readonly<
  Record<"hashes" | "skeleton" | "headers" | "bodies" | "snap-status" | "snap-blocks" | "snap-chunk", Rate>
>;

/** Requests that a peer answers. They depend on the wire and on the peer's settings. */
export interface PeerCapabilities {
  servesSnapshots: boolean;
  /** Limits above which the peer would refuse or drop requests. */
  rates: RequestRates;
}

/** A connected peer whose Status is compatible with ours. Its claims change; see `peerStatus`. */
export interface Peer {
  readonly id: PeerId;
  readonly address: PeerAddress;
  readonly direction: "inbound" | "outbound";
  readonly wire: WireName;
  readonly capabilities: PeerCapabilities;
  /** Whether the operator configured the peer; limits then do not apply. */
  readonly isTrusted: boolean;
  /** The latest claim. It influences the choice of peers, but proves nothing. */
  readonly status: PeerStatus;
}

/** Events of the network. An error of a listener is logged and affects no other listener. */
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
  /** RLP of the fields that a compressed header of version 1 or 2 omits (`spec/01 §2.4`). */
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
  /**
   * Resolves when an accepted block has been executed, with whether it is stored. If the method is missing, all are.
   */
  isStored?(hash: Uint8Array): Promise<boolean>;
  /** RLP of 1 to `MAX_GOSSIP_TRANSACTIONS` transactions. */
  transactions(encoded: readonly Uint8Array[], from: PeerId): Promise<Verdict>;
}

/** A snapshot's anchor (`spec/07 §B.7`). */
export interface SnapshotStatus {
  /** Blocks of the anchor, ascending; the last one is the checkpoint. */
  blocks: readonly SnapshotBlock[];
  /** Size of the state at the checkpoint in bytes, counted as in `spec/07 §B.9`. */
  trieSize: number;
}

export interface SnapshotBlock {
  /** RLP of the block. */
  encoded: Uint8Array;
  /** Total difficulty as the peer claims it. */
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
 * Requests to peers. They reject with `NetworkingError`. A peer that answered late, wrongly or not at all has been
 * scored for it. Callers report invalid content with {@link PeerNetwork.report}.
 */
export interface PeerRequests {
  /** Returns hashes in the order of `heights`, at most 64; undefined for heights that the peer does not have. */
  hashes(peer: PeerId, heights: readonly number[], signal?: AbortSignal): Promise<readonly (Uint8Array | undefined)[]>;
  /** Returns every 192nd block from the multiple of 192 at or below `start`, then the peer's best block. At most 64. */
  skeleton(peer: PeerId, start: number, count: number, signal?: AbortSignal): Promise<readonly BlockId[]>;
  /**
   * Returns the block with the hash and its ancestors, descending, in compressed form. At most 192; fewer at genesis.
   */
  headers(peer: PeerId, hash: Uint8Array, count: number, signal?: AbortSignal): Promise<readonly BlockHeader[]>;
  /**
   * Yields bodies as they arrive, in the order of `hashes`, at most 32; undefined for one that the peer does not have.
   * May end early. A body has the requested hash.
   */
  bodies(peer: PeerId, hashes: readonly Uint8Array[], signal?: AbortSignal): AsyncIterable<BlockBody | undefined>;
  /** Yields the RLP of whole blocks, like {@link PeerNetwork.bodies}. At most 16. */
  blocks(peer: PeerId, hashes: readonly Uint8Array[], signal?: AbortSignal): AsyncIterable<Uint8Array | undefined>;
  /** Yields the RLP of pooled transactions, like {@link PeerNetwork.bodies}. At most 256. */
  transactions(
    peer: PeerId,
    hashes: readonly Uint8Array[],
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array | undefined>;
  snapshotStatus(peer: PeerId, signal?: AbortSignal): Promise<SnapshotStatus>;
  /** Returns the blocks below a height, ascending, at most 400. */
  snapshotBlocks(peer: PeerId, below: number, signal?: AbortSignal): Promise<readonly SnapshotBlock[]>;
  /** Returns the chunk that starts at byte `from` of the state after a block. */
  snapshotChunk(peer: PeerId, blockNumber: number, from: number, signal?: AbortSignal): Promise<SnapshotChunk>;
}

/** The connected peers, requests to them, and gossip. */
export interface PeerNetwork extends PeerRequests {
  readonly ownId: PeerId;
  peers(): readonly Peer[];
  peer(id: PeerId): Peer | undefined;
  /** Adds a listener. Returns a function that removes it. */
  on(listener: (event: NetworkEvent) => void): () => void;

  /** Scores a peer and its address, and disconnects it if `spec/07 §D.9` says so. */
  report(peer: PeerId, event: ScoringEvent, detail?: string): void;

  /**
   * Updates the claim of a peer that gossiped a block, if its total difficulty is higher than that of the last claim.
   */
  noteBest(peer: PeerId, number: number, hash: Uint8Array, totalDifficulty: bigint): void;

  /** Sets the validators of gossip. Until they are set, all gossip is ignored. */
  setGossipHandlers(handlers: GossipHandlers): void;
  /** Publishes a block once, not to the peer that sent it. Never rejects. */
  publishBlock(encoded: Uint8Array): Promise<void>;
  publishBlockHash(announcement: BlockAnnouncement): Promise<void>;
  /** Publishes transactions, each as RLP; packs them into as few messages as the limits allow. */
  publishTransactions(encoded: readonly Uint8Array[]): Promise<void>;
  /**
   * Sends transactions of peers that have become pending to peers on wires that relay no others. Each as RLP. Never
   * rejects.
   */
  relayPending(encoded: readonly Uint8Array[]): Promise<void>;
}
