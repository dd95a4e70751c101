import type { BlockId, Peer, PeerId, PeerNetwork, WireName } from "./interface.js";

/** Settings that an operator can change while the network runs; undefined members stay unchanged. */
export interface PeerChanges {
  /** Ids of trusted peers; changes affect new connections. */
  trustedPeers?: readonly PeerId[] | undefined;
  /** Nodes as in `RlpxWireOptions`. Removed nodes stay connected, but are no longer dialled for this option. */
  nodes?: readonly string[] | undefined;
}

/** The network with the functions for its owner. */
export interface RunningNetwork extends PeerNetwork {
  /** Whether other nodes can connect. */
  readonly isListening: boolean;
  /**
   * Returns addresses with our identity that other nodes can dial: multiaddrs, and enode URLs of the deployed network.
   */
  listenAddresses(): string[];
  /** Returns `<peer id> | <ip>:<port>` of each peer (`spec/07 §C.6`). */
  list(): string[];
  /**
   * Connects and exchanges Status. Rejects with `NetworkingError` `INVALID_OPTION` or `DISCONNECTED`.
   */
  dial(address: string): Promise<Peer>;
  disconnect(peer: PeerId): Promise<void>;
  /** Changes peers that are treated specially. Throws `NetworkingError` `INVALID_OPTION` without changing anything. */
  change(changes: PeerChanges): void;
  /** Notifies all peers that this node disconnects, and closes everything. */
  stop(): Promise<void>;
}

/** A network over one wire. */
export interface Wire extends RunningNetwork {
  readonly name: WireName;
  /** Whether {@link RunningNetwork.dial} understands an address. */
  canDial(address: string): boolean;
  /**
   * Relays a block that was received and checked on another wire; `encoded` is present if the whole block was received.
   * Never rejects.
   */
  relayBlock(block: BlockId, encoded: Uint8Array): Promise<void>;
  /** Relays transactions, pending or queued, that were received and admitted on another wire. Never rejects. */
  relayTransactions(encoded: readonly Uint8Array[]): Promise<void>;
}
