import { LruCache } from "@cambium/primitives";

/** Uses at once, and in the long run. */
export interface SourceRate {
  burst: number;
  perSecond: number;
}

/** Sources whose use is remembered. */
const SOURCES = 4096;

class TokenBucket {
  private tokens: number;

  constructor(
    private readonly rate: SourceRate,
    private filledAt: number,
  ) {
    this.tokens = rate.burst;
  }

  /** Takes a token if there is one; `now` is in milliseconds. */
  take(now: number): boolean {
    const { burst, perSecond } = this.rate;
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) * perSecond) / 1000);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens--;
    return true;
  }
}

/** Limits what each source may cause, and all sources together. */
export class SourceRates {
  private readonly sources = new LruCache<string, TokenBucket>(SOURCES);
  private readonly total: TokenBucket;

  /** `now` returns milliseconds. */
  constructor(
    private readonly perSource: SourceRate,
    total: SourceRate,
    private readonly now: () => number,
  ) {
    this.total = new TokenBucket(total, now());
  }

  take(source: string): boolean {
    const now = this.now();
    let bucket = this.sources.get(source);
    if (bucket === undefined) this.sources.set(source, (bucket = new TokenBucket(this.perSource, now)));
    // What one source uses in excess does not count for all.
    return bucket.take(now) && this.total.take(now);
  }
}
