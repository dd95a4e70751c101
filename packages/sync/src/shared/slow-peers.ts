import type { PeerId } from "@cambium/networking";
import { type Clock, LruCache } from "@cambium/primitives";

/** Milliseconds of an answer that make a peer slow, and milliseconds for which it stays slow. */
const SLOW_ANSWER = 10_000;
const KEPT = 600_000;
const MAX_PEERS = 1024;

/** Peers that answered late, though within the limits, or incompletely. */
export class SlowPeers {
  private readonly until = new LruCache<PeerId, number>(MAX_PEERS);

  constructor(private readonly clock: Clock) {}

  /** Records an answer to a request that began at a time of the clock. */
  answered(id: PeerId, start: number): void {
    if (this.clock.now() - start > SLOW_ANSWER) this.note(id);
  }

  note(id: PeerId): void {
    this.until.set(id, this.clock.now() + KEPT);
  }

  /** Whether the peer was slow in the last ten minutes. */
  has(id: PeerId): boolean {
    return (this.until.get(id) ?? 0) > this.clock.now();
  }

  /** Returns the peers without the slow ones, or all peers if all are slow. */
  quickOf<T>(peers: readonly T[], idOf: (peer: T) => PeerId): readonly T[] {
    const quick = peers.filter((peer) => !this.has(idOf(peer)));
    return quick.length > 0 ? quick : peers;
  }
}
