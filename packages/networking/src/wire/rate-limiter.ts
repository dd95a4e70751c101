import type { PeerId } from "../interface.js";
import type { RateBound } from "./protocol.js";

/** Peers whose use is remembered: far more than can be connected. */
const PEERS = 1024;

/**
 * Leaky buckets by the generic cell rate algorithm: for each key, one point in time up to which tokens are paid for. A
 * bucket of `tokens` that is full at first and refills evenly over `window`.
 */
class Bucket {
  /** In token-milliseconds, so that everything stays a whole number. */
  private paidUntil = 0;

  constructor(
    private readonly tokens: number,
    private readonly window: number,
  ) {}

  has(count: number, now: number): boolean {
    return this.after(count, now) <= (now + this.window) * this.tokens;
  }

  take(count: number, now: number): void {
    this.paidUntil = this.after(count, now);
  }

  /** Milliseconds until it has so many. */
  wait(count: number, now: number): number {
    return Math.max(0, Math.ceil(this.after(count, now) / this.tokens) - this.window - now);
  }

  /** Whether it is as good as new. */
  isFull(now: number): boolean {
    return this.paidUntil <= now * this.tokens;
  }

  private after(count: number, now: number): number {
    return Math.max(this.paidUntil, now * this.tokens) + count * this.window;
  }
}

/**
 * Bounds what peers ask for: tokens for each item of a request, per peer and name, and over all peers where the bound says
 * so (`spec/07 §D.5`). Names are those of protocols or topics.
 */
export class RateLimiter<Name extends string> {
  /** Least recently used first. */
  private readonly peers = new Map<PeerId, Map<Name, Bucket>>();
  private readonly totals = new Map<Name, Bucket>();
  private readonly start: number;

  /** `clock` gives milliseconds and need not start anywhere. */
  constructor(
    private readonly bounds: Readonly<Record<Name, RateBound>>,
    private readonly clock: () => number,
  ) {
    this.start = clock();
    for (const name of Object.keys(bounds) as Name[]) {
      const { total, window } = bounds[name];
      if (total !== undefined) this.totals.set(name, new Bucket(total, window));
    }
  }

  /** Takes `count` tokens if the peer, and all peers together, have them; otherwise takes none and answers false. */
  take(peer: PeerId, name: Name, count: number): boolean {
    const now = this.now();
    const bucket = this.bucket(peer, name);
    const total = this.totals.get(name);
    if (!bucket.has(count, now) || total?.has(count, now) === false) return false;
    bucket.take(count, now);
    total?.take(count, now);
    return true;
  }

  /** Whether it is the peer's own bucket, and not that of all peers together, which has not enough. */
  isOver(peer: PeerId, name: Name, count: number): boolean {
    return !this.bucket(peer, name).has(count, this.now());
  }

  /** Milliseconds until the peer's own bucket has so many; never, where it is too small for them. */
  wait(peer: PeerId, name: Name, count: number): number {
    return this.bucket(peer, name).wait(count, this.now());
  }

  /**
   * The peer is gone. What it used up lately is remembered until it would have been forgiven, since calling again would
   * otherwise be the way around the limits.
   */
  forget(peer: PeerId): void {
    const now = this.now();
    const buckets = this.peers.get(peer);
    if (buckets === undefined) return;
    for (const [name, bucket] of buckets) if (bucket.isFull(now)) buckets.delete(name);
    if (buckets.size === 0) this.peers.delete(peer);
  }

  /** Peers about whom anything is remembered. */
  get size(): number {
    return this.peers.size;
  }

  private now(): number {
    return Math.floor(this.clock() - this.start);
  }

  private bucket(peer: PeerId, name: Name): Bucket {
    const buckets = this.peers.get(peer) ?? new Map<Name, Bucket>();
    this.peers.delete(peer);
    this.peers.set(peer, buckets);
    if (this.peers.size > PEERS) this.peers.delete(this.peers.keys().next().value!);
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      const { tokens, window } = this.bounds[name];
      buckets.set(name, (bucket = new Bucket(tokens, window)));
    }
    return bucket;
  }
}
