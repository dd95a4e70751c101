/** Sizes in bytes. */
export interface BytePoolSizes {
  /** Size of one allocation: the maximum memory that a few retained bytes can keep alive. */
  chunk: number;
  /** Minimum length from the pool; shorter arrays are allocated separately. */
  shortest: number;
  /** Maximum length from the pool; longer arrays are allocated separately. */
  longest: number;
}

/**
 * Allocates zeroed arrays as parts of larger chunks. A separate allocation costs ten times as much as a view, and the
 * garbage collector as much again.
 */
export class BytePool {
  private chunk: Uint8Array;
  private used = 0;

  constructor(private readonly sizes: BytePoolSizes) {
    this.chunk = new Uint8Array(sizes.chunk);
  }

  allocate(length: number): Uint8Array {
    const { chunk: size, shortest, longest } = this.sizes;
    if (length < shortest || length > longest) return new Uint8Array(length);
    if (this.used + length > size) {
      this.chunk = new Uint8Array(size);
      this.used = 0;
    }
    const start = this.used;
    this.used += length;
    return this.chunk.subarray(start, this.used);
  }
}

/** The engine keeps arrays of up to 64 bytes on its own heap. Chunks have the size of those of Node.js buffers. */
const pool = new BytePool({ chunk: 0x2000, shortest: 65, longest: 0x400 });

/**
 * Returns a zeroed array, for the many arrays of 65 to 1024 bytes in a block. Copy arrays that are kept longer than a
 * block.
 */
export function allocateBytes(length: number): Uint8Array {
  return pool.allocate(length);
}
