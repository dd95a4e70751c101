import { bytesToBigint, reverseBytes } from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";
import { sha256d } from "./sha256.js";

/** Length of a parent-chain header in bytes. */
export const PARENT_HEADER_LENGTH = 80;

/** Returns the hash of a parent-chain header, 32 bytes in internal order. Ignores bytes after the first 80. */
export function parentHeaderHash(header: Uint8Array): Uint8Array {
  return sha256d(header.subarray(0, PARENT_HEADER_LENGTH));
}

/** Returns the hash as a number, to be compared with the target. */
export function parentHeaderWork(header: Uint8Array): bigint {
  return bytesToBigint(reverseBytes(parentHeaderHash(header)));
}

/** Merkle root of the header's transactions in internal order. */
export function parentHeaderMerkleRoot(header: Uint8Array): Uint8Array {
  return header.subarray(36, 68);
}

/**
 * Returns the time in seconds, for the timestamp rule of RSKIP-179. Throws {@link MergedMiningError}
 * `PARENT_HEADER_SIZE` if the header is too short.
 */
export function parentHeaderTime(header: Uint8Array): number {
  if (header.length < PARENT_HEADER_LENGTH) {
    throw new MergedMiningError({
      code: "PARENT_HEADER_SIZE",
      expected: PARENT_HEADER_LENGTH,
      actual: header.length,
    });
  }
  return new DataView(header.buffer, header.byteOffset).getUint32(68, true);
}

/** Fields of a parent-chain header; hashes in internal order. */
export interface ParentHeaderFields {
  version: number;
  previousHash: Uint8Array;
  merkleRoot: Uint8Array;
  time: number;
  bits: number;
  nonce: number;
}

export function encodeParentHeader(fields: ParentHeaderFields): Uint8Array {
  const header = new Uint8Array(PARENT_HEADER_LENGTH);
  const view = new DataView(header.buffer);
  view.setUint32(0, fields.version, true);
  header.set(fields.previousHash, 4);
  header.set(fields.merkleRoot, 36);
  view.setUint32(68, fields.time, true);
  view.setUint32(72, fields.bits, true);
  view.setUint32(76, fields.nonce, true);
  return header;
}

/** Decodes the first 80 bytes. Throws {@link MergedMiningError} `PARENT_HEADER_SIZE` if there are fewer. */
export function decodeParentHeader(header: Uint8Array): ParentHeaderFields {
  const time = parentHeaderTime(header);
  const view = new DataView(header.buffer, header.byteOffset);
  return {
    version: view.getUint32(0, true),
    previousHash: header.subarray(4, 36),
    merkleRoot: parentHeaderMerkleRoot(header),
    time,
    bits: view.getUint32(72, true),
    nonce: view.getUint32(76, true),
  };
}
