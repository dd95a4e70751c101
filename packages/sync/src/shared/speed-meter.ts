import type { Clock } from "@cambium/primitives";

/** Measured span and its parts, in milliseconds. */
const SPAN = 30_000;
const PART = 1_000;

/** Measures counts a second, over the last half minute. */
export class SpeedMeter {
  /** Counts by second, oldest first. */
  private readonly parts: { at: number; count: number }[] = [];
  private startedAt: number;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.now();
  }

  /** Drops all counts, after a pause. */
  restart(): void {
    this.parts.length = 0;
    this.startedAt = this.clock.now();
  }

  count(count = 1): void {
    const at = Math.floor(this.clock.now() / PART) * PART;
    const last = this.parts.at(-1);
    if (last?.at === at) last.count += count;
    else this.parts.push({ at, count });
    this.forget();
  }

  get perSecond(): number {
    this.forget();
    const count = this.parts.reduce((sum, part) => sum + part.count, 0);
    const span = Math.min(SPAN, Math.max(PART, this.clock.now() - this.startedAt));
    return count / (span / 1000);
  }

  private forget(): void {
    while (this.parts.length > 0 && this.parts[0]!.at <= this.clock.now() - SPAN - PART) this.parts.shift();
  }
}
