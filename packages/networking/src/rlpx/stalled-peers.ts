import { type Clock, LruCache } from "@cambium/primitives";
import type { PeerId } from "../interface.js";
import type { RlpxPeer } from "./peer.js";

/**
 * Milliseconds without progress after which a peer is stalled: longer than a deployed node's synchronisation that times
 * out (`spec/07 §B.5`).
 */
const STALL = 40_000;
/** Milliseconds until the same node is checked again: it keeps a dead connection for that long. */
const FORGIVENESS = 600_000;
const MAX_JUDGED = 256;

/**
 * Finds deployed nodes that dialled us again, but send the requests of their synchronisation into the lost connection
 * (`spec/07 §B.10`, Q16). They synchronise over a connection that we open.
 */
export class StalledPeers {
  /** Time since when a peer has been behind, without progress or a request. */
  private readonly stillSince = new WeakMap<RlpxPeer, number>();
  private readonly validatedAt = new LruCache<PeerId, number>(MAX_JUDGED);

  constructor(private readonly clock: Clock) {}

  /** Records a request of a peer's synchronisation; call it for each. */
  noteRequest(peer: RlpxPeer): void {
    this.stillSince.delete(peer);
  }

  /** Whether a peer is stalled. Call it for each Status of the peer, before it is stored. */
  isStalled(peer: RlpxPeer, claimed: bigint, own: bigint): boolean {
    const now = this.clock.now();
    const since = this.stillSince.get(peer);
    if (peer.direction === "outbound" || claimed >= own || claimed > peer.status.totalDifficulty) {
      this.stillSince.delete(peer);
      return false;
    }
    if (since === undefined) this.stillSince.set(peer, now);
    if (since === undefined || now - since < STALL) return false;
    const validatedAt = this.validatedAt.get(peer.id);
    if (validatedAt !== undefined && now - validatedAt < FORGIVENESS) return false;
    this.validatedAt.set(peer.id, now);
    return true;
  }
}
