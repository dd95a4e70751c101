const BYTES_PER_SECOND = 4 * 1024 * 1024;
const SECONDS = 10;

/** Limits bytes sent to a peer: 4 MiB/s averaged over 10 s (`spec/07 §D.5`). */
export class ByteBudget {
  /** Time in milliseconds up to which the rate is used up. */
  private paidAt = 0;

  constructor(private readonly now: () => number) {}

  /** Counts the bytes; returns the milliseconds to wait before sending them. */
  take(bytes: number): number {
    const now = this.now();
    this.paidAt = Math.max(this.paidAt, now - SECONDS * 1000) + (bytes * 1000) / BYTES_PER_SECOND;
    return Math.max(0, Math.ceil(this.paidAt - now));
  }
}
