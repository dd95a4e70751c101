/** A connection, as far as the bytes that it holds are concerned. */
export interface BytesHolder {
  /** Called when all hold too much, this one most; it no longer holds anything. */
  release(): void;
}

/** What a connection may hold without being counted: what an idle one needs. */
const UNCOUNTED = 64 * 1024;

/**
 * Bounds what connections hold for their peers together: parts of messages that have not arrived, and messages that the
 * peer has not read. Above the limit the connection that holds most is closed, so that many slow peers cannot exhaust
 * the memory, nor deprive others of theirs.
 */
export class HeldBytes {
  private readonly held = new Map<BytesHolder, number>();
  private sum = 0;

  constructor(private readonly limit: number) {}

  /** Bytes of all connections. */
  get total(): number {
    return this.sum;
  }

  /** Notes what a connection holds now: nothing once it has ended. */
  set(holder: BytesHolder, bytes: number): void {
    this.note(holder, bytes > UNCOUNTED ? bytes : 0);
    while (this.sum > this.limit) this.releaseLargest();
  }

  private note(holder: BytesHolder, bytes: number): void {
    this.sum += bytes - (this.held.get(holder) ?? 0);
    if (bytes === 0) this.held.delete(holder);
    else this.held.set(holder, bytes);
  }

  private releaseLargest(): void {
    const [first, ...others] = this.held;
    const [largest] = others.reduce((most, one) => (one[1] > most[1] ? one : most), first!);
    this.note(largest, 0);
    largest.release();
  }
}
