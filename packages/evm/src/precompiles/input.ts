import { bigintToFixedBytes, bytesToBigint } from "@cambium/primitives";

/** Bytes `offset` to `offset + length` of the zero-padded input. May share the input's memory. */
export function readPadded(data: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length <= data.length) return data.subarray(offset, offset + length);
  const out = new Uint8Array(length);
  if (offset < data.length) out.set(data.subarray(offset));
  return out;
}

/** The unsigned 32-byte word at `index` of the zero-padded input. */
export function readWord(data: Uint8Array, index: number): bigint {
  return bytesToBigint(readPadded(data, index * 32, 32));
}

/** Length of the input in 32-byte words, rounded up. */
export function wordCount(data: Uint8Array | null): number {
  return data === null ? 0 : Math.ceil(data.length / 32);
}

/** Affine coordinates as two words. */
export function encodePoint(point: { x: bigint; y: bigint }): Uint8Array {
  const out = new Uint8Array(64);
  out.set(bigintToFixedBytes(point.x, 32));
  out.set(bigintToFixedBytes(point.y, 32), 32);
  return out;
}
