import { concatBytes, decodePoint, EMPTY_BYTES } from "@cambium/primitives";

/** A public key as the network's client reads and rewrites it. */
export interface ParentPublicKey {
  /** X and Y (64 bytes); empty for the point at infinity. */
  readonly point: Uint8Array;
  /** 33 bytes; `00` for the point at infinity. */
  readonly compressed: Uint8Array;
  /** What scripts and addresses are made of: a compressed key stays one, any other form becomes the full `04` form. */
  readonly encoded: Uint8Array;
}

const INFINITY: ParentPublicKey = {
  point: EMPTY_BYTES,
  compressed: Uint8Array.of(0),
  encoded: Uint8Array.of(0),
};

/** A key in compressed, full or hybrid form, or the lone byte 00; undefined for what is no curve point. */
export function readPublicKey(key: Uint8Array): ParentPublicKey | undefined {
  if (key.length === 1 && key[0] === 0) return INFINITY;
  const point = decodePoint(key);
  if (point === undefined) return undefined;
  const compressed = concatBytes(Uint8Array.of(2 + (point[63]! & 1)), point.subarray(0, 32));
  const encoded = key.length === compressed.length ? compressed : concatBytes(Uint8Array.of(4), point);
  return { point, compressed, encoded };
}
