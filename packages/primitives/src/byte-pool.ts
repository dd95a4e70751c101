/** Bytes allocated at a time, as in Node.js buffers: the most memory that a few retained bytes can keep alive. */
const CHUNK = 0x2000;
/** The engine keeps shorter arrays on its own heap; larger ones are allocated separately. */
const SHORTEST = 64;
const LONGEST = 0x400;

let chunk = new Uint8Array(CHUNK);
let used = 0;

/**
 * A zeroed array, for the many arrays of 65 to 1024 bytes that a block needs. A separate allocation costs ten times as
 * much as a view, and as much again for the garbage collector. Copy what is kept longer than a block.
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
