import { createHash } from "node:crypto";
import { ripemd160 } from "@noble/hashes/legacy.js";

/** RIPEMD-160 of the SHA-256, 20 bytes: the hash in parent-chain addresses. */
export function hash160(data: Uint8Array): Uint8Array {
  return ripemd160(createHash("sha256").update(data).digest());
}
