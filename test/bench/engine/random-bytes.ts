const POOL_BYTES = 2 ** 20;
const LONGEST = 4_096;

/**
 * Pseudorandom bytes from a pool. A database compresses blocks much smaller than the pool, so the bytes look random to
 * it.
 */
export class RandomBytes {
  private readonly pool = new Uint8Array(POOL_BYTES + LONGEST);

  constructor(private state: number) {
    for (let i = 0; i < this.pool.length; i++) this.pool[i] = this.below(256);
  }

  /** Returns a whole number from 0 to `limit - 1` (xorshift, Marsaglia 2003). */
  below(limit: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return Math.floor(((this.state >>> 0) / 2 ** 32) * limit);
  }

  /** A view of the pool. */
  bytes(length: number): Uint8Array {
    const at = this.below(POOL_BYTES);
    return this.pool.subarray(at, at + length);
  }

  /** Returns random bytes after this number of zeros. */
  record(length: number, zeros: number): Uint8Array {
    const record = new Uint8Array(length);
    record.set(this.bytes(length - zeros), zeros);
    return record;
  }

  /** Fills the rest of an array with bytes that depend on `seed` only. */
  fill(out: Uint8Array, from: number, seed: number): void {
    const at = Math.imul(seed + 1, 0x9e3779b1) >>> 12;
    out.set(this.pool.subarray(at, at + out.length - from), from);
  }
}
