import { type Clock, LruCache } from "@cambium/primitives";
import type { PeerId } from "../interface.js";
import type { RlpxPeer } from "./peer.js";

/**
 * Milliseconds: longer than a round of a deployed node's synchronisation that ends in its time-out (`spec/07 §B.5`).
 */
const STALL = 40_000;
/** Milliseconds until the same node may be judged again: for so long it keeps a dead connection. */
const FORGIVENESS = 600_000;
const MAX_JUDGED = 256;

/**
 * Finds deployed nodes that dialled us again, and send the requests of their synchronisation into the connection that
 * they had lost (`spec/07 §B.10`, Q16). They synchronise over a connection that we make.
 */
export class StalledPeers {
  /** Since when peers have been behind, without progress or a request. */
  private readonly stillSince = new WeakMap<RlpxPeer, number>();
  private readonly judgedAt = new LruCache<PeerId, number>(MAX_JUDGED);

  constructor(private readonly clock: Clock) {}

  /** To be called for each request of a peer's synchronisation. */
  noteRequest(peer: RlpxPeer): void {
    this.stillSince.delete(peer);
  }

  /** To be called for each Status of a peer, before it is stored. Returns whether the peer is stalled. */
  isStalled(peer: RlpxPeer, claimed: bigint, own: bigint): boolean {
    const now = this.clock.now();
    const since = this.stillSince.get(peer);
    if (peer.direction === "outbound" || claimed >= own || claimed > peer.status.totalDifficulty) {
      this.stillSince.delete(peer);
      return false;
    }
    if (since === undefined) this.stillSince.set(peer, now);
    if (since === undefined || now - since < STALL) return false;
    const judgedAt = this.judgedAt.get(peer.id);
    if (judgedAt !== undefined && now - judgedAt < FORGIVENESS) return false;
    this.judgedAt.set(peer.id, now);
    return true;
  }
}
