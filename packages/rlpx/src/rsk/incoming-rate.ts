/** Messages a second on average. A deployed node sends at most about 100 (`spec/07 §A.2.4`). */
const RATE = 200;
/** Messages at once. */
const BURST = 1000;
const INTERVAL = 1000 / RATE;

/** Bounds the messages of a peer. */
export class IncomingRate {
  /** The time up to which messages are used. */
  private usedUntil = Number.NEGATIVE_INFINITY;

  /** Whether a message at `now`, in milliseconds of a `Clock`, is within the bound. */
  accepts(now: number): boolean {
    const start = Math.max(this.usedUntil, now - BURST * INTERVAL);
    if (start + INTERVAL > now) return false;
    this.usedUntil = start + INTERVAL;
    return true;
  }
}
