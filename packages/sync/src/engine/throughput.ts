/** Time that one answer should take: long enough to hide the way there and back, short enough to notice a stall. */
const TARGET_SECONDS = 1.5;
const FIRST_BATCH = 8;
const MAX_BATCH = 32;
/** Weight of the latest answer. */
const WEIGHT = 0.4;

/** How fast one peer delivers bodies, and how many to ask it for at once. */
export class Throughput {
  private rate: number | undefined;

  /** Bodies a second; 0 while nothing is known. */
  get bodiesPerSecond(): number {
    return this.rate ?? 0;
  }

  /** 1 to 32. */
  get batch(): number {
    if (this.rate === undefined) return FIRST_BATCH;
    return Math.min(MAX_BATCH, Math.max(1, Math.round(this.rate * TARGET_SECONDS)));
  }

  /** An answer ended, well or not, with this many good bodies. */
  measured(bodies: number, milliseconds: number): void {
    const rate = bodies / Math.max(milliseconds / 1000, 0.001);
    this.rate = this.rate === undefined ? rate : this.rate + (rate - this.rate) * WEIGHT;
  }
}
