import type { PeerId } from "@cambium/networking";
import { LruCache } from "@cambium/primitives";

const MAX_PEERS = 1024;
/** Seconds. */
const WINDOW = 3600;
/** Blocks of a peer within {@link WINDOW} that are no accident. */
const TOO_MANY = 3;
/**
 * Seconds after a failure during which no block is relayed before it is executed. Longer than {@link WINDOW}, so that a
 * node sends at most one such block within it, and two more only if it is restarted twice.
 */
const CAUTION = 2 * WINDOW;

/**
 * Gossiped blocks that failed only when they were executed. A peer relays one such block at most before it knows better
 * (`spec/07 §D.8`); one that sends several is to blame, whoever mined them.
 */
export class FailedExecutions {
  private readonly times = new LruCache<PeerId, readonly number[]>(MAX_PEERS);
  private lastAt = Number.NEGATIVE_INFINITY;

  /** Whether a block failed so recently that others are executed before they are relayed. `now` is in seconds. */
  isCautious(now: number): boolean {
    return now - this.lastAt < CAUTION;
  }

  /** Records that a block has failed. */
  note(now: number): void {
    this.lastAt = now;
  }

  /** Records a block that a peer sent first; returns whether the peer is to blame. */
  isToBlame(peer: PeerId, now: number): boolean {
    const recent = (this.times.get(peer) ?? []).filter((time) => time > now - WINDOW).slice(1 - TOO_MANY);
    this.times.set(peer, [...recent, now]);
    return recent.length + 1 >= TOO_MANY;
  }
}
