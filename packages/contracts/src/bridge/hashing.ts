import { createHash } from "node:crypto";
import { ripemd160 } from "@noble/hashes/legacy.js";

/** SHA-256, 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

/** The parent chain's double SHA-256, in the order it is computed in. */
export function doubleSha256(data: Uint8Array): Uint8Array {
  return sha256(sha256(data));
}

/** RIPEMD-160 of the SHA-256, 20 bytes. */
export function hash160(data: Uint8Array): Uint8Array {
  return ripemd160(sha256(data));
}
