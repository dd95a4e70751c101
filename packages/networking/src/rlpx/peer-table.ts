import type { PeerId } from "../interface.js";
import type { RlpxPeer } from "./peer.js";

/** Connections of the wire by peer, one for each. */
export class RlpxPeerTable {
  private readonly connected = new Map<PeerId, RlpxPeer>();

  get size(): number {
    return this.connected.size;
  }

  get(id: PeerId): RlpxPeer | undefined {
    return this.connected.get(id);
  }

  all(): RlpxPeer[] {
    return [...this.connected.values()];
  }

  /** Returns the peers that the rest of the node sees. */
  ready(): RlpxPeer[] {
    return this.all().filter(({ isReady }) => isReady);
  }

  set(peer: RlpxPeer): void {
    this.connected.set(peer.id, peer);
  }

  /** Removes a connection, unless another one has replaced it. */
  delete(peer: RlpxPeer): void {
    if (this.connected.get(peer.id) === peer) this.connected.delete(peer.id);
  }
}
