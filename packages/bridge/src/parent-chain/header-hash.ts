import { sha256d } from "@cambium/merged-mining";
import { reverseBytes } from "@cambium/primitives";

// Hash fields of a parent-chain header, in display order, 32 bytes each.

/** Hash of the header, which is also the address of the block's cell. */
export function parentBlockHash(header: Uint8Array): Uint8Array {
  return reverseBytes(sha256d(header));
}

/** Hash of the header's parent. */
export function previousHash(header: Uint8Array): Uint8Array {
  return reverseBytes(header.subarray(4, 36));
}

export function merkleRoot(header: Uint8Array): Uint8Array {
  return reverseBytes(header.subarray(36, 68));
}
