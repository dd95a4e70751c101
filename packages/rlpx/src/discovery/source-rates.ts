import { LruCache, TokenBucket } from "@cambium/primitives";

/** Uses at once, and in the long run. */
export interface SourceRate {
  burst: number;
  perSecond: number;
}

/** Sources whose use is remembered. */
const SOURCES = 4096;

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
    this.total = bucketOf(total);
  }

  take(source: string): boolean {
    const now = Math.floor(this.now());
    let bucket = this.sources.get(source);
    if (bucket === undefined) this.sources.set(source, (bucket = bucketOf(this.perSource)));
    // What one source uses in excess does not count for all.
    return bucket.take(1, now) && this.total.take(1, now);
  }
}

function bucketOf({ burst, perSecond }: SourceRate): TokenBucket {
  return new TokenBucket({ tokens: burst, window: (1000 * burst) / perSecond });
}
