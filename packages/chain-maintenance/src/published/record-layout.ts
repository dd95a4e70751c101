import { keccak256View } from "@cambium/primitives";
import { RECORD_ALIGNMENT } from "./hash-index.js";

/*
 * Layout of the records of a `HashFile`: the hash, the length of the content in four bytes, the content, and padding
 * of any bytes.
 */
export const HASH_BYTES = 32;
export const HEAD_BYTES = HASH_BYTES + 4;

/** Length of the record of a content of this length. */
export function recordLength(contentLength: number): number {
  return (HEAD_BYTES + contentLength + RECORD_ALIGNMENT - 1) & -RECORD_ALIGNMENT;
}

/** Writes a record at `at`, except for its hash. */
export function writeContent(content: Uint8Array, out: Uint8Array, at: number): void {
  const { length } = content;
  out[at + HASH_BYTES] = length >>> 24;
  out[at + HASH_BYTES + 1] = length >>> 16;
  out[at + HASH_BYTES + 2] = length >>> 8;
  out[at + HASH_BYTES + 3] = length;
  out.set(content, at + HEAD_BYTES);
}

/** Returns the length of the content of the record at `at`, of which `bytes` needs to contain the head only. */
export function contentLength(bytes: Uint8Array, at: number): number {
  const last = at + HEAD_BYTES - 1;
  return ((bytes[last - 3]! << 24) | (bytes[last - 2]! << 16) | (bytes[last - 1]! << 8) | bytes[last]!) >>> 0;
}

/** Writes the hashes of records, which follow each other. */
export function hashRecords(records: Uint8Array): void {
  const words = new DataView(records.buffer, records.byteOffset, records.length);
  for (let at = 0; at < records.length; ) {
    const length = contentLength(records, at);
    const hash = keccak256View(records.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length));
    for (let i = 0; i < HASH_BYTES; i += 4) words.setInt32(at + i, hash.getInt32(i));
    at += recordLength(length);
  }
}
