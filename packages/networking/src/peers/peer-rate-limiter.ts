import { TokenBucket } from "@cambium/primitives";
import type { PeerId } from "../interface.js";
import type { RateBound } from "../shared/rates.js";

/** Number of peers whose usage is remembered: far more than can be connected. */
const PEERS = 1024;

/**
 * Limits requests and messages of peers: tokens for each item, per peer and name, and over all peers if the bound has a
 * total (`spec/07 §D.5`). Names are those of protocols or topics.
 */
export class PeerRateLimiter<Name extends string> {
  /** Buckets by peer and name, least recently used first. */
  private readonly peers = new Map<PeerId, Map<Name, TokenBucket>>();
  private readonly totals = new Map<Name, TokenBucket>();
  private readonly start: number;

  /** `clock` returns milliseconds; only differences are meaningful. */
  constructor(
    private readonly bounds: Readonly<Record<Name, RateBound>>,
    private readonly clock: () => number,
  ) {
    this.start = clock();
    for (const name of Object.keys(bounds) as Name[]) {
      const { total, window } = bounds[name];
      if (total !== undefined) this.totals.set(name, new TokenBucket({ tokens: total, window }));
    }
  }

  /** Takes `count` tokens if the peer and all peers together have them; otherwise takes none and returns false. */
  take(peer: PeerId, name: Name, count: number): boolean {
    const now = this.now();
    const bucket = this.bucket(peer, name);
    const total = this.totals.get(name);
    if (!bucket.has(count, now) || total?.has(count, now) === false) return false;
    bucket.take(count, now);
    total?.take(count, now);
    return true;
  }

  /** Whether the peer's own bucket, rather than that of all peers together, has too few tokens. */
  isOver(peer: PeerId, name: Name, count: number): boolean {
    return !this.bucket(peer, name).has(count, this.now());
  }

  /** Milliseconds until the peer's own bucket has `count` tokens, which must not be more than it holds. */
  wait(peer: PeerId, name: Name, count: number): number {
    return this.bucket(peer, name).wait(count, this.now());
  }

  /** Releases the full buckets of a disconnected peer. Others stay: reconnecting must not reset the limits. */
  forget(peer: PeerId): void {
    const now = this.now();
    const buckets = this.peers.get(peer);
    if (buckets === undefined) return;
    for (const [name, bucket] of buckets) if (bucket.isFull(now)) buckets.delete(name);
    if (buckets.size === 0) this.peers.delete(peer);
  }

  /** Number of peers with buckets. */
  get size(): number {
    return this.peers.size;
  }

  private now(): number {
    return Math.floor(this.clock() - this.start);
  }

  private bucket(peer: PeerId, name: Name): TokenBucket {
    const buckets = this.peers.get(peer) ?? new Map<Name, TokenBucket>();
    this.peers.delete(peer);
    this.peers.set(peer, buckets);
    if (this.peers.size > PEERS) this.peers.delete(this.peers.keys().next().value!);
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      buckets.set(name, (bucket = new TokenBucket(this.bounds[name])));
    }
    return bucket;
  }
}
