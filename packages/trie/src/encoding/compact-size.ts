/** Encoded length of a compact-size integer, the parent chain's varint (`spec/01 §4.2`). */
export function compactSizeLength(value: number): number {
  if (value < 253) return 1;
  if (value <= 0xffff) return 3;
  return value <= 0xffffffff ? 5 : 9;
}

/** Writes the shortest form; returns the new offset. */
export function writeCompactSize(value: number, out: Uint8Array, offset: number): number {
  const length = compactSizeLength(value);
  if (length === 1) {
    out[offset] = value;
    return offset + 1;
  }
  out[offset] = length === 3 ? 0xfd : length === 5 ? 0xfe : 0xff;
  let rest = value;
  for (let i = 1; i < length; i++) {
    out[offset + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return offset + length;
}
