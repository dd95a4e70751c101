/** Target duration of an answer: long enough to hide the round trip, short enough to notice a stall. */
const TARGET_SECONDS = 1.5;
const FIRST_BATCH = 8;
const MAX_BATCH = 32;
/** Weight of the latest answer. */
const WEIGHT = 0.4;

/** Measures how fast a peer delivers bodies, and chooses how many to request at a time. */
export class Throughput {
  private rate: number | undefined;

  /** Number of bodies a second; 0 before the first measurement. */
  get bodiesPerSecond(): number {
    return this.rate ?? 0;
  }

  /** Number of bodies to request at a time, 1 to 32. */
  get batch(): number {
    if (this.rate === undefined) return FIRST_BATCH;
    return Math.min(MAX_BATCH, Math.max(1, Math.round(this.rate * TARGET_SECONDS)));
  }

  /** Adds an ended answer, successful or not, with this many valid bodies. */
  measured(bodies: number, milliseconds: number): void {
    const rate = bodies / Math.max(milliseconds / 1000, 0.001);
    this.rate = this.rate === undefined ? rate : this.rate + (rate - this.rate) * WEIGHT;
  }
}
