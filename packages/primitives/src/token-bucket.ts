/** Rate of at most `tokens` in a burst, refilled evenly within `window` milliseconds. */
export interface TokenRate {
  tokens: number;
  window: number;
}

/**
 * A bucket of tokens that is full at first, by the generic cell rate algorithm. It stores only the time up to which
 * tokens are used. Times are whole milliseconds of a clock that does not go back, from 0 on.
 */
export class TokenBucket {
  /** Time up to which tokens are used, in token-milliseconds, so that all values are integers. */
  private usedUntil = 0;

  constructor(private readonly rate: TokenRate) {}

  has(count: number, now: number): boolean {
    const { tokens, window } = this.rate;
    return this.after(count, now) <= (now + window) * tokens;
  }

  /** Takes `count` tokens, or none if the bucket has fewer. Returns whether it took them. */
  take(count: number, now: number): boolean {
    if (!this.has(count, now)) return false;
    this.usedUntil = this.after(count, now);
    return true;
  }

  /** Returns the milliseconds until the bucket has `count` tokens. */
  wait(count: number, now: number): number {
    const { tokens, window } = this.rate;
    return Math.max(0, Math.ceil(this.after(count, now) / tokens) - window - now);
  }

  /** Whether the bucket is full. */
  isFull(now: number): boolean {
    return this.usedUntil <= now * this.rate.tokens;
  }

  private after(count: number, now: number): number {
    const { tokens, window } = this.rate;
    return Math.max(this.usedUntil, now * tokens) + count * window;
  }
}
