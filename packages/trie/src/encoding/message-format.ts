import { packBits } from "./bits.js";
import { compactSizeLength, writeCompactSize } from "./compact-size.js";

// The message of spec/01 §4.2; these are the flag bits of its first byte.
export const VERSION = 0x40;
export const VERSION_MASK = 0xc0;
export const LONG = 0x20;
export const PATH = 0x10;
export const LEFT = 0x08;
export const RIGHT = 0x04;
export const LEFT_EMBEDDED = 0x02;
export const RIGHT_EMBEDDED = 0x01;

/** Maximum length of a value in a message; longer values are stored separately under their own hash. */
export const LONG_VALUE = 32;
/** Maximum message length of a leaf that is embedded in its parent. */
export const EMBEDDING_LIMIT = 44;
/** Number of bytes of a hash, and of the length of a long value after its hash. */
export const HASH_LENGTH = 32;
const VALUE_LENGTH_LENGTH = 3;

/** Returns the number of bytes that a value of this length occupies in a message. */
function valuePartLength(length: number): number {
  return length > LONG_VALUE ? HASH_LENGTH + VALUE_LENGTH_LENGTH : length;
}

/** Length of the message of a leaf whose path and value have these lengths. */
export function leafLength(pathBits: number, valueLength: number): number {
  return 1 + pathLength(pathBits) + valuePartLength(valueLength);
}

/** Encoded length of a path with its length prefix. */
export function pathLength(bits: number): number {
  if (bits === 0) return 0;
  const prefix = hasShortPrefix(bits) ? 1 : 1 + compactSizeLength(bits);
  return prefix + ((bits + 7) >> 3);
}

/** Whether the length of a path is encoded in one byte. */
export function hasShortPrefix(bits: number): boolean {
  return bits <= 32 || (bits >= 160 && bits <= 382);
}

/**
 * Writes the path at positions [start, end) of `bytes`, whose first byte is that at position 8 * `base`; returns the
 * new offset.
 */
export function writePathBits(
  bytes: Uint8Array,
  base: number,
  start: number,
  end: number,
  out: Uint8Array,
  offset: number,
): number {
  const bits = end - start;
  if (bits === 0) return offset;
  let at = offset;
  if (bits <= 32) out[at++] = bits - 1;
  else if (hasShortPrefix(bits)) out[at++] = bits - 128;
  else {
    out[at++] = 0xff;
    at = writeCompactSize(bits, out, at);
  }
  return packBits(bytes, base, start, end, out, at);
}

/** Writes the length of a long value; returns the new offset. */
export function writeValueLength(length: number, out: Uint8Array, offset: number): number {
  out[offset] = length >> 16;
  out[offset + 1] = length >> 8;
  out[offset + 2] = length;
  return offset + VALUE_LENGTH_LENGTH;
}
