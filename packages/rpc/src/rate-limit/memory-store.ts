import type { RateLimitStore } from "./rate-limit-store.js";

/**
 * Maximum number of windows by which another thread's count may be late. An earlier window means that the system's
 * clock was set back.
 */
const MOST_LATE = 10;

/** Counts in memory. Only the latest window is kept, to which late counts of other threads are added. */
export class MemoryRateLimitStore implements RateLimitStore {
  private window = -1;
  private readonly counts = new Map<string, number>();

  add(identity: string, requests: number, window: number): number {
    if (window > this.window || window < this.window - MOST_LATE) {
      this.counts.clear();
      this.window = window;
    }
    const sum = (this.counts.get(identity) ?? 0) + requests;
    this.counts.set(identity, sum);
    return sum;
  }

  async close(): Promise<void> {}
}
