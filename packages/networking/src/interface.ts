import type { BlockHeader } from "@cambium/types";
import type { ScoringEvent } from "./scoring/events.js";

/** Text of a libp2p peer id. */
export type PeerId = string;

/** Address a peer is reached at or came from. */
export interface PeerAddress {
  /** IPv4 or IPv6, as text. */
  ip: string;
  port: number;
}

/** What a node says of itself (`spec/07 §D.4`). Claims only. */
export interface PeerStatus {
  chainId: number;
  /** 32 bytes, as are the other hashes. */
  genesisHash: Uint8Array;
  bestNumber: number;
  bestHash: Uint8Array;
  /** Zeros where the best block is known from gossip. */
  bestParentHash: Uint8Array;
  totalDifficulty: bigint;
  /** Lowest height whose body the node serves. */
  earliestBody: number;
  /** Bit 0: serves snapshots. */
  flags: number;
  /** 0: does not listen. */
  listenPort: number;
  /** At most 64 bytes of UTF-8. */
  clientId: string;
}

/** A connected peer whose Status was exchanged and agrees with ours. Its claims change; see `peerStatus`. */
export interface Peer {
  readonly id: PeerId;
  readonly address: PeerAddress;
  readonly direction: "inbound" | "outbound";
  /** Named by the operator: not subject to limits. */
  readonly isTrusted: boolean;
  /** Its latest claim: a hint that orders choices and proves nothing. */
  readonly status: PeerStatus;
}

/** A listener's failure is its own. */
export type NetworkEvent = { kind: "peerConnected" | "peerStatus" | "peerDisconnected"; peer: Peer };

/** A block of a chain by place and name. */
export interface BlockId {
  number: number;
  hash: Uint8Array;
}

/** A block's lists as they travel; nothing is known of their content yet. */
export interface BlockBody {
  /** Of the block that the body was sent for. */
  hash: Uint8Array;
  /** RLP of each transaction. */
  transactions: readonly Uint8Array[];
  /** RLP of the list of uncles. */
  uncles: Uint8Array;
  /** What a compressed header of version 1 or 2 leaves out: RLP, `spec/01 §2.4`. */
  extension: Uint8Array | undefined;
}

/** News of a block, without the block. */
export interface BlockAnnouncement extends BlockId {
  totalDifficulty: bigint;
}

/** What becomes of a gossiped message: relayed, dropped, or dropped and held against the sender. */
export type Verdict = "accept" | "ignore" | "reject";

/**
 * Judges of what is gossiped, before it is relayed (`spec/07 §D.8`). Sizes and the outer form were checked. A handler
 * that throws counts as "ignore". `from` is the peer that handed the message on, not its author.
 */
export interface GossipHandlers {
  /** RLP of a whole block. */
  block(encoded: Uint8Array, from: PeerId): Promise<Verdict>;
  blockHash(announcement: BlockAnnouncement, from: PeerId): Promise<Verdict>;
  /** RLP of 1 to `MAX_GOSSIP_TRANSACTIONS` transactions. */
  transactions(encoded: readonly Uint8Array[], from: PeerId): Promise<Verdict>;
}

/** A snapshot's anchor (`spec/07 §B.7`). */
export interface SnapshotStatus {
  /** Ascending; the last is the checkpoint. RLP of each block, and its claimed total difficulty. */
  blocks: readonly SnapshotBlock[];
  /** Bytes of the state at the checkpoint, as `spec/07 §B.9` counts them. */
  trieSize: number;
}

export interface SnapshotBlock {
  encoded: Uint8Array;
  totalDifficulty: bigint;
}

/** A part of a state, `spec/07 §B.9`, still unverified. */
export interface SnapshotChunk {
  from: number;
  to: number;
  complete: boolean;
  /** RLP as it travels; `StateChunk` of the trie package decodes and verifies it. */
  encoded: Uint8Array;
}

/**
 * Peers and how to ask them. Requests reject with `NetworkingError`; a peer that answered late, wrongly or not at all was
 * already scored for it. What only a reader of the content can see is told by {@link PeerNetwork.report}.
 */
export interface PeerNetwork {
  readonly ownId: PeerId;
  peers(): readonly Peer[];
  peer(id: PeerId): Peer | undefined;
  /** Returns how to stop. */
  on(listener: (event: NetworkEvent) => void): () => void;

  /** In the order asked; undefined for heights the peer does not have. At most 64. */
  hashes(peer: PeerId, heights: readonly number[], signal?: AbortSignal): Promise<readonly (Uint8Array | undefined)[]>;
  /** Every 192nd block from the peer's multiple of 192 at or below `start`, and at the end its best. At most 64. */
  skeleton(peer: PeerId, start: number, count: number, signal?: AbortSignal): Promise<readonly BlockId[]>;
  /** From the block with the hash downwards, decoded from the compressed form. At most 192; fewer at genesis. */
  headers(peer: PeerId, hash: Uint8Array, count: number, signal?: AbortSignal): Promise<readonly BlockHeader[]>;
  /**
   * Bodies as they arrive, in the order asked, undefined for one the peer does not have; may end early. At most 32.
   * The body's hash is the asked one.
   */
  bodies(peer: PeerId, hashes: readonly Uint8Array[], signal?: AbortSignal): AsyncIterable<BlockBody | undefined>;
  /** RLP of whole blocks, as {@link PeerNetwork.bodies}. At most 16. */
  blocks(peer: PeerId, hashes: readonly Uint8Array[], signal?: AbortSignal): AsyncIterable<Uint8Array | undefined>;
  /** RLP of pooled transactions, as {@link PeerNetwork.bodies}. At most 256. */
  transactions(
    peer: PeerId,
    hashes: readonly Uint8Array[],
    signal?: AbortSignal,
  ): AsyncIterable<Uint8Array | undefined>;
  snapshotStatus(peer: PeerId, signal?: AbortSignal): Promise<SnapshotStatus>;
  /** The up to 400 blocks below a height, ascending. */
  snapshotBlocks(peer: PeerId, below: number, signal?: AbortSignal): Promise<readonly SnapshotBlock[]>;
  /** The chunk of the state after a block that starts at a byte offset. */
  snapshotChunk(peer: PeerId, blockNumber: number, from: number, signal?: AbortSignal): Promise<SnapshotChunk>;

  /** Scores a peer and its address; disconnects where `spec/07 §D.9` says so. */
  report(peer: PeerId, event: ScoringEvent, detail?: string): void;

  /** Gossip of a block shows what its sender has; a claim like Status, taken where it says more than the last one. */
  noteBest(peer: PeerId, number: number, hash: Uint8Array, totalDifficulty: bigint): void;

  /** From now on gossip is judged by these; before, all of it is ignored. */
  setGossipHandlers(handlers: GossipHandlers): void;
  /** Hands a block to the mesh, once; never back to who sent it. Never rejects. */
  publishBlock(encoded: Uint8Array): Promise<void>;
  publishBlockHash(announcement: BlockAnnouncement): Promise<void>;
  /** RLP of each; packed into as few messages as the limits allow. */
  publishTransactions(encoded: readonly Uint8Array[]): Promise<void>;
}
