import { bigintToBytes, bigintToTwosComplement, EMPTY_BYTES } from "@cambium/primitives";

// Byte strings of scalars in RLP: `spec/01 §1.1`. The encoding of zero depends on the kind of scalar.

const ZERO_BYTE: Uint8Array = Uint8Array.of(0);

/**
 * Encodes "signed coin" and "difficulty": null is empty, zero is one zero byte, and a leading 00 precedes a set top
 * bit.
 */
export function signedCoinBytes(value: bigint | null): Uint8Array {
  return value === null ? EMPTY_BYTES : bigintToTwosComplement(value);
}

/** Encodes "coin, non-null zero": null is empty, zero is one zero byte, anything else is minimal unsigned. */
export function nonNullZeroCoinBytes(value: bigint | null): Uint8Array {
  if (value === null) return EMPTY_BYTES;
  return value === 0n ? ZERO_BYTE : bigintToBytes(value);
}

/** Encodes one signed byte; zero is empty. */
export function byteBytes(value: number): Uint8Array {
  return value === 0 ? EMPTY_BYTES : Uint8Array.of(value & 0xff);
}

/** Encodes ends of execution lists as consecutive 16-bit little-endian numbers. */
export function edgesBytes(edges: readonly number[]): Uint8Array {
  const out = new Uint8Array(edges.length * 2);
  edges.forEach((edge, i) => {
    out[2 * i] = edge & 0xff;
    out[2 * i + 1] = (edge >> 8) & 0xff;
  });
  return out;
}

/** Decodes {@link edgesBytes} as signed numbers, ignoring an odd last byte (`spec/01 §2.6`, step 12). */
export function edgesFromBytes(bytes: Uint8Array): number[] {
  const edges: number[] = [];
  for (let i = 0; i + 1 < bytes.length; i += 2) edges.push(((bytes[i]! | (bytes[i + 1]! << 8)) << 16) >> 16);
  return edges;
}
