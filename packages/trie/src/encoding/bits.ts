/*
 * A node's path is a range of absolute bit positions: bit n of the path of a node at depth d is at position d + n, as
 * in every key below that node. Keys and paths can therefore be compared in whole bytes, and splitting or merging nodes
 * changes two numbers instead of moving bits.
 */

/** Bit of a key; the most significant bit of each byte comes first (`spec/01 §4.1`). */
export function bitAt(bytes: Uint8Array, position: number): 0 | 1 {
  return ((bytes[position >> 3]! >> (7 - (position & 7))) & 1) as 0 | 1;
}

/** Copies the bits at positions [from, to). The arrays start at byte positions `sourceBase` and `targetBase`. */
export function copyBits(
  source: Uint8Array,
  sourceBase: number,
  target: Uint8Array,
  targetBase: number,
  from: number,
  to: number,
): void {
  if (from >= to) return;
  const last = (to - 1) >> 3;
  for (let i = from >> 3; i <= last; i++) {
    let mask = 0xff;
    if (i === from >> 3) mask &= 0xff >> (from & 7);
    if (i === last) mask &= 0xff << (7 - ((to - 1) & 7));
    const at = i - targetBase;
    target[at] = (target[at]! & ~mask) | (source[i - sourceBase]! & mask);
  }
}

/** Sets one bit of an array that starts at byte position `base`. */
export function setBit(target: Uint8Array, base: number, position: number, bit: 0 | 1): void {
  const mask = 0x80 >> (position & 7);
  const at = (position >> 3) - base;
  target[at] = bit === 1 ? target[at]! | mask : target[at]! & ~mask;
}

/**
 * Writes bits [start, end) from the most significant bit on, padding the last byte with zeros; returns the new offset.
 */
export function packBits(
  source: Uint8Array,
  base: number,
  start: number,
  end: number,
  out: Uint8Array,
  offset: number,
): number {
  const length = (end - start + 7) >> 3;
  const shift = start & 7;
  let at = (start >> 3) - base;
  if (shift === 0) {
    for (let i = 0; i < length; i++) out[offset + i] = source[at++]!;
  } else {
    for (let i = 0; i < length; i++, at++) {
      out[offset + i] = (source[at]! << shift) | ((source[at + 1] ?? 0) >> (8 - shift));
    }
  }
  const used = (end - start) & 7;
  if (used !== 0) out[offset + length - 1]! &= 0xff << (8 - used);
  return offset + length;
}

/** The inverse of {@link packBits}: returns an array whose first byte contains position `start`. */
export function unpackBits(packed: Uint8Array, offset: number, start: number, bits: number): Uint8Array {
  const shift = start & 7;
  const length = (bits + 7) >> 3;
  const out = new Uint8Array((shift + bits + 7) >> 3);
  for (let i = 0; i < length; i++) {
    const byte = packed[offset + i]!;
    out[i]! |= byte >> shift;
    if (shift !== 0 && i + 1 < out.length) out[i + 1] = byte << (8 - shift);
  }
  return out;
}
