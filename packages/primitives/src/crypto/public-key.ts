import { concatBytes } from "../bytes.js";
import { secp256k1 } from "./secp256k1.js";

const COMPRESSED_LENGTH = 33;
const FULL_LENGTH = 65;

/**
 * X and Y (64 bytes) of a compressed, uncompressed or hybrid key, whose first byte also gives the parity of Y;
 * undefined if the key is not a curve point.
 */
export function decodePoint(key: Uint8Array): Uint8Array | undefined {
  const form = key[0];
  if (key.length === COMPRESSED_LENGTH) return form === 2 || form === 3 ? secp256k1.decompress(key) : undefined;
  if (key.length !== FULL_LENGTH) return undefined;
  const isHybrid = form === 6 || form === 7;
  if (form !== 4 && !(isHybrid && (key[64]! & 1) === form - 6)) return undefined;
  return secp256k1.decompress(concatBytes(Uint8Array.of(4), key.subarray(1)));
}

/** Compressed form of a key in any of these forms, undefined if it is not a curve point. */
export function compressPublicKey(key: Uint8Array): Uint8Array | undefined {
  const point = decodePoint(key);
  return point === undefined ? undefined : concatBytes(Uint8Array.of(2 + (point[63]! & 1)), point.subarray(0, 32));
}
