const BYTES_PER_SECOND = 4 * 1024 * 1024;
const SECONDS = 10;

/** What may be sent to a peer: 4 MiB/s averaged over 10 s (`spec/07 §D.5`). */
export class ByteBudget {
  /** When everything that was sent is paid for, in milliseconds. */
  private paidAt = 0;

  constructor(private readonly now: () => number) {}

  /** Takes the bytes; milliseconds to wait before they are sent. */
  take(bytes: number): number {
    const now = this.now();
    this.paidAt = Math.max(this.paidAt, now - SECONDS * 1000) + (bytes * 1000) / BYTES_PER_SECOND;
    return Math.max(0, Math.ceil(this.paidAt - now));
  }
}
