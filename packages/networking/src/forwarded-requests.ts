import type { PeerId, PeerRequests } from "./interface.js";

/** Passes each request on to the network that serves its peer. */
export abstract class ForwardedRequests implements PeerRequests {
  protected abstract requestsTo(peer: PeerId): PeerRequests;

  readonly hashes: PeerRequests["hashes"] = (peer, ...rest) => this.requestsTo(peer).hashes(peer, ...rest);
  readonly skeleton: PeerRequests["skeleton"] = (peer, ...rest) => this.requestsTo(peer).skeleton(peer, ...rest);
  readonly headers: PeerRequests["headers"] = (peer, ...rest) => this.requestsTo(peer).headers(peer, ...rest);
  readonly bodies: PeerRequests["bodies"] = (peer, ...rest) => this.requestsTo(peer).bodies(peer, ...rest);
  readonly blocks: PeerRequests["blocks"] = (peer, ...rest) => this.requestsTo(peer).blocks(peer, ...rest);
  readonly transactions: PeerRequests["transactions"] = (peer, ...rest) =>
    this.requestsTo(peer).transactions(peer, ...rest);
  readonly snapshotStatus: PeerRequests["snapshotStatus"] = (peer, ...rest) =>
    this.requestsTo(peer).snapshotStatus(peer, ...rest);
  readonly snapshotBlocks: PeerRequests["snapshotBlocks"] = (peer, ...rest) =>
    this.requestsTo(peer).snapshotBlocks(peer, ...rest);
  readonly snapshotChunk: PeerRequests["snapshotChunk"] = (peer, ...rest) =>
    this.requestsTo(peer).snapshotChunk(peer, ...rest);
}
