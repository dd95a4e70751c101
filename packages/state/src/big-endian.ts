const CHUNK = 6;
const CHUNK_BITS = 48n;

/**
 * Unsigned value of bytes [from, to). Reading six bytes at a time is several times faster than going through a hex
 * string.
 */
export function unsignedBigint(bytes: Uint8Array, from: number, to: number): bigint {
  let end = from + ((to - from) % CHUNK);
  let value = end > from ? BigInt(chunk(bytes, from, end)) : 0n;
  for (; end < to; end += CHUNK) value = (value << CHUNK_BITS) | BigInt(chunk(bytes, end, end + CHUNK));
  return value;
}

function chunk(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 256 + bytes[i]!;
  return value;
}
