import { concatBytes, decodePoint, EMPTY_BYTES } from "@cambium/primitives";

/** A public key as the deployed client decodes and re-encodes it. */
export interface ParentPublicKey {
  /** X and Y (64 bytes); empty for the point at infinity. */
  readonly point: Uint8Array;
  /** 33 bytes; `00` for the point at infinity. */
  readonly compressed: Uint8Array;
  /** The form used in scripts and addresses: compressed keys stay compressed, others become the full `04` form. */
  readonly encoded: Uint8Array;
}

const INFINITY: ParentPublicKey = {
  point: EMPTY_BYTES,
  compressed: Uint8Array.of(0),
  encoded: Uint8Array.of(0),
};

/** Decodes a compressed, full or hybrid key, or the single byte 00; undefined if it is not a curve point. */
export function readPublicKey(key: Uint8Array): ParentPublicKey | undefined {
  if (key.length === 1 && key[0] === 0) return INFINITY;
  const point = decodePoint(key);
  if (point === undefined) return undefined;
  const compressed = concatBytes(Uint8Array.of(2 + (point[63]! & 1)), point.subarray(0, 32));
  const encoded = key.length === compressed.length ? compressed : concatBytes(Uint8Array.of(4), point);
  return { point, compressed, encoded };
}
