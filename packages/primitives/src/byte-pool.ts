/** Bytes taken from the system at a time, as Node.js does for its buffers: the most that a few kept bytes can hold on to. */
const CHUNK = 0x2000;
/** Shorter arrays are on the engine's own heap, and longer ones get memory of their own. */
const SHORTEST = 64;
const LONGEST = 0x400;

let chunk = new Uint8Array(CHUNK);
let used = 0;

/**
 * A zeroed array, for the many of 65 to 1024 bytes that a block takes: with memory of its own each would cost ten times a
 * view, and as much again to the collector. What is kept longer than a block should be copied.
 */
export function allocateBytes(length: number): Uint8Array {
  if (length <= SHORTEST || length > LONGEST) return new Uint8Array(length);
  if (used + length > CHUNK) {
    chunk = new Uint8Array(CHUNK);
    used = 0;
  }
  const start = used;
  used += length;
  return chunk.subarray(start, used);
}
