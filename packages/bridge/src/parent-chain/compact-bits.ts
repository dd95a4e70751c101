// Compact form of targets in headers, an MPI number with three bytes of precision: spec/06b-1 §3.3.

/** Decodes a 32-bit compact number, which is negative if the sign bit of its first byte is set. */
export function decodeCompactBits(bits: number): bigint {
  const size = bits >>> 24;
  const mantissa = bits & 0x7fffff;
  const magnitude = size <= 3 ? BigInt(mantissa >>> (8 * (3 - size))) : BigInt(mantissa) << BigInt(8 * (size - 3));
  const negative = size > 0 && (bits & 0x800000) !== 0;
  return negative ? -magnitude : magnitude;
}

/** Compact form of a non-negative number, truncated to three bytes of precision. */
export function encodeCompactBits(value: bigint): number {
  const size = signedLength(value);
  const mantissa = Number(size <= 3 ? value << BigInt(8 * (3 - size)) : value >> BigInt(8 * (size - 3)));
  return (mantissa | (size << 24)) >>> 0;
}

/** Length of the shortest two's-complement form, so that the sign bit of the mantissa is never set. */
function signedLength(value: bigint): number {
  return Math.floor(value.toString(2).length / 8) + 1;
}
