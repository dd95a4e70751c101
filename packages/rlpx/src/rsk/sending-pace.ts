// The deployed client drops messages of a peer, requested answers included, above 1000 in a minute of its clock
// (`spec/07 §B.2`). A tenth is left for messages that arrive closer together than they were sent.

/** Milliseconds. */
export const PACE_WINDOW = 60_000;
/** Messages in any window. */
export const PACE_LIMIT = 900;
/** Of these, the messages that are spread evenly over the window. */
const STEADY = 420;
/** Milliseconds between two of them. */
export const STEADY_INTERVAL = PACE_WINDOW / STEADY;

/**
 * Limits the messages to one peer in any window of 60 s. The first of a window leave immediately and the rest is spread
 * over it: whatever was sent before, one message may leave every {@link STEADY_INTERVAL}. Times are those of a `Clock`.
 */
export class SendingPace {
  /** Of the latest messages, in a ring; whole numbers, rounded up, so that sums are exact. */
  private readonly times = new Float64Array(PACE_LIMIT);
  private count = 0;

  /** Notes a message sent at `now`. */
  note(now: number): void {
    this.times[this.count++ % PACE_LIMIT] = Math.ceil(now);
  }

  /**
   * The earliest time, from `now` on, of a message with which no window has more than `limit`, at most
   * {@link PACE_LIMIT}. Since any message of the window, `limit - STEADY` may have left at once and one more each
   * interval. The next is allowed one interval after the last at the latest, because older messages do not count.
   */
  earliest(limit: number, now: number): number {
    const atOnce = limit - STEADY;
    let earliest = now;
    for (let back = atOnce + 1; back <= Math.min(this.count, PACE_LIMIT); back++) {
      const sent = this.times[(this.count - back) % PACE_LIMIT]!;
      if (sent + PACE_WINDOW <= now) break;
      const wait = Math.ceil(((back - atOnce) * PACE_WINDOW) / STEADY);
      earliest = Math.max(earliest, sent + Math.min(wait, PACE_WINDOW));
    }
    return earliest;
  }
}
