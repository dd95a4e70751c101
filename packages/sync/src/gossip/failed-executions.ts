import type { PeerId } from "@cambium/networking";
import { LruCache } from "@cambium/primitives";

const MAX_PEERS = 1024;
/** Seconds. */
const WINDOW = 3600;
/** Blocks of a peer within {@link WINDOW} that are no accident. */
const TOO_MANY = 3;

/**
 * Blocks of each peer that failed only when they were executed. A peer relays blocks before it executes them, so that it
 * could not know; one that sends several is to blame (`spec/07 §D.8`).
 */
export class FailedExecutions {
  private readonly times = new LruCache<PeerId, readonly number[]>(MAX_PEERS);

  /** Records a block that was not recorded before; returns whether the peer is to blame. `now` is in seconds. */
  record(peer: PeerId, now: number): boolean {
    const recent = (this.times.get(peer) ?? []).filter((time) => time > now - WINDOW).slice(1 - TOO_MANY);
    this.times.set(peer, [...recent, now]);
    return recent.length + 1 >= TOO_MANY;
  }
}
