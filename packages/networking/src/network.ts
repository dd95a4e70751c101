import type { BlockId, Peer, PeerId, PeerNetwork, WireName } from "./interface.js";

/** What an operator can change while the network runs; what is undefined stays unchanged. */
export interface PeerChanges {
  /** They hold for new connections. */
  trustedPeers?: readonly PeerId[] | undefined;
  /** See `RlpxWireOptions`; nodes that are no longer among them stay connected, but are not dialled again for that. */
  nodes?: readonly string[] | undefined;
}

/** The network with what its owner controls. */
export interface RunningNetwork extends PeerNetwork {
  /** Whether others can connect. */
  readonly isListening: boolean;
  /** Addresses with our identity that others can dial: multiaddrs, and enode URLs of the deployed network. */
  listenAddresses(): string[];
  /** `<peer id> | <ip>:<port>` of each peer (`spec/07 §C.6`). */
  list(): string[];
  /**
   * Connects and exchanges Status. Rejects with `NetworkingError` `INVALID_OPTION` or `DISCONNECTED`.
   */
  dial(address: string): Promise<Peer>;
  disconnect(peer: PeerId): Promise<void>;
  /**
   * Changes peers that are treated specially. Throws `NetworkingError` `INVALID_OPTION`, and has changed nothing then.
   */
  change(changes: PeerChanges): void;
  /** Tells all peers that this node disconnects, and closes everything. */
  stop(): Promise<void>;
}

/** A network over one wire. */
export interface Wire extends RunningNetwork {
  readonly name: WireName;
  /** Whether {@link RunningNetwork.dial} understands an address. */
  canDial(address: string): boolean;
  /**
   * Passes on a block that was received and checked on another wire, `encoded` if it was received whole. Never rejects.
   */
  relayBlock(block: BlockId, encoded: Uint8Array): Promise<void>;
  /**
   * Passes on transactions that were received and admitted on another wire, be they pending or queued. Never rejects.
   */
  relayTransactions(encoded: readonly Uint8Array[]): Promise<void>;
}
