// Limits on sent messages. The deployed client drops a peer's messages, including requested answers, above 1000 in a
// minute of its clock (`spec/07 §B.2`). A tenth is reserved for messages that arrive closer together than they were
// sent.

/** Length of the window in milliseconds. */
export const PACE_WINDOW = 60_000;
/** Maximum number of messages in any window. */
export const PACE_LIMIT = 900;
/** Number of messages in the window that are spread evenly over it. */
const STEADY = 420;
/** Milliseconds between two evenly spread messages. */
export const STEADY_INTERVAL = PACE_WINDOW / STEADY;

/**
 * Limits the messages to one peer in any window of 60 s. The first messages of a window leave immediately, and the rest
 * is spread over it. Regardless of earlier messages, one may leave every {@link STEADY_INTERVAL}. Times are those of a
 * `Clock`.
 */
export class SendingPace {
  /** Times of the latest messages, in a ring; whole numbers, rounded up, so that sums are exact. */
  private readonly times = new Float64Array(PACE_LIMIT);
  private count = 0;

  /** Records a message sent at `now`. */
  note(now: number): void {
    this.times[this.count++ % PACE_LIMIT] = Math.ceil(now);
  }

  /**
   * Returns the earliest time, from `now` on, at which another message leaves every window with at most `limit`, which
   * is at most {@link PACE_LIMIT}. In any window, `limit - STEADY` messages may leave immediately, and one more each
   * interval. The next message may leave at the latest one interval after the last one, because older messages do not
   * count.
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
