/** Bytes allocated at a time. */
const CHUNK = 0x10000;
/** Longer messages are allocated separately. */
const POOLED = 0x400;

let chunk = new Uint8Array(CHUNK);
let used = 0;

/**
 * Zeroed memory for one message. Most messages exceed what a typed array can keep on the JavaScript heap, and a
 * separate allocation for each costs more than writing it.
 */
export function allocateMessage(length: number): Uint8Array {
  if (length > POOLED) return new Uint8Array(length);
  if (used + length > CHUNK) {
    chunk = new Uint8Array(CHUNK);
    used = 0;
  }
  const start = used;
  used += length;
  return chunk.subarray(start, used);
}
