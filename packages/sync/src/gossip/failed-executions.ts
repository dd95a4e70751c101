import type { PeerId } from "@cambium/networking";
import { LruCache } from "@cambium/primitives";

const MAX_PEERS = 1024;
/** Length of the window in seconds. */
const WINDOW = 3600;
/** Number of a peer's blocks within {@link WINDOW} that are no accident. */
const TOO_MANY = 3;
/**
 * Seconds after a failure during which no block is relayed before it is executed. Longer than {@link WINDOW}. A node
 * therefore sends at most one such block within it, and two more only if it is restarted twice.
 */
const CAUTION = 2 * WINDOW;

/**
 * Gossiped blocks that failed only when they were executed. An honest peer relays at most one such block before it
 * notices (`spec/07 §D.8`). A peer that sends several is to blame, regardless of their miner.
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

  /** Records a block that a peer sent first. Returns whether the peer is to blame. */
  isToBlame(peer: PeerId, now: number): boolean {
    const recent = (this.times.get(peer) ?? []).filter((time) => time > now - WINDOW).slice(1 - TOO_MANY);
    this.times.set(peer, [...recent, now]);
    return recent.length + 1 >= TOO_MANY;
  }
}
