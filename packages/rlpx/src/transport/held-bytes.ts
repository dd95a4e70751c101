/** A connection that holds bytes. */
export interface BytesHolder {
  /** Called when all connections hold too much, and this one the most; it no longer holds anything. */
  release(): void;
}

/** Number of bytes that a connection may hold without being counted: the need of an idle one. */
const UNCOUNTED = 64 * 1024;

/**
 * Bounds the bytes that connections hold for their peers together: parts of messages that have not arrived, and
 * messages that the peer has not read. Above the limit the connection that holds most is closed. Many slow peers
 * therefore cannot exhaust the memory, nor deprive others of theirs.
 */
export class HeldBytes {
  private readonly held = new Map<BytesHolder, number>();
  private sum = 0;

  constructor(private readonly limit: number) {}

  /** Number of bytes held by all connections. */
  get total(): number {
    return this.sum;
  }

  /** Records how much a connection holds now: nothing once it has ended. */
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
