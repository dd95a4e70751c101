import { concatBytes } from "./bytes.js";
import { secp256k1 } from "./secp256k1.js";

/** Compressed form of a key of 33 or 65 bytes, a hybrid one included; undefined when it is no curve point. */
export function compressPublicKey(key: Uint8Array): Uint8Array | undefined {
  if (key.length !== 33 && key.length !== 65) return undefined;
  const hybrid = key.length === 65 && (key[0] === 6 || key[0] === 7);
  // A hybrid key states the parity of y in its prefix, which must be right.
  if (hybrid && (key[64]! & 1) !== (key[0]! & 1)) return undefined;
  const point = secp256k1.decompress(hybrid ? concatBytes(Uint8Array.of(4), key.subarray(1)) : key);
  if (point === undefined) return undefined;
  return concatBytes(Uint8Array.of(2 + (point[63]! & 1)), point.subarray(0, 32));
}
