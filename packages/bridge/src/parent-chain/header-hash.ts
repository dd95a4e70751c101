import { sha256d } from "@cambium/merged-mining";
import { reverseBytes } from "@cambium/primitives";

// Fields of a parent-chain header that are hashes, in display order, 32 bytes each.

/** Hash of the header; also the address of the block's cell. */
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
