import type { NetworkConfig } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import type { BlockId } from "../interface.js";
import { malformed, readingTypes, readTuple, readWhole } from "../rlp.js";
import { SKELETON_STEP } from "../shared/limits.js";

/** Whether each header is the parent of the previous one. */
export function isBranch(headers: readonly BlockHeader[]): boolean {
  return headers.every((header, i) => {
    const child = headers[i - 1];
    return child === undefined || (equalBytes(header.hash, child.parentHash) && header.number === child.number - 1);
  });
}

/** Decodes a header in compressed form. Throws `MALFORMED`, also if its encoding is not canonical. */
export function readCompressedHeader(bytes: Uint8Array, network: NetworkConfig): BlockHeader {
  const header = readingTypes("header", () => BlockHeader.decode(bytes, network, "compressed"));
  if (!equalBytes(header.encode("compressed"), bytes)) throw malformed("header", "not canonical");
  return header;
}

/** Checks the heights of a skeleton; the last may be a best block below the expected height. Throws `MALFORMED`. */
export function checkSkeleton(entries: readonly BlockId[], start: number): void {
  if (entries.length === 0) throw malformed("skeleton", "empty");
  const first = start - (start % SKELETON_STEP);
  entries.forEach(({ number, hash }, i) => {
    if (hash.length === 0) throw malformed("skeleton", `no hash of block ${number}`);
    const expected = first + i * SKELETON_STEP;
    const isShort = i > 0 && i === entries.length - 1 && number < expected && number > expected - SKELETON_STEP;
    if (number !== expected && !isShort) throw malformed("skeleton", `block ${number} instead of ${expected}`);
  });
}

/** Checks that the bytes are a list of three lists; returns the bytes of the header. Throws `MALFORMED`. */
export function checkBlockShape(bytes: Uint8Array): Uint8Array {
  const items = readTuple(readWhole(bytes, "block"), "block", 3);
  if (!items.every((item) => item.isList)) throw malformed("block", "a string in place of a list");
  return items[0]!.raw;
}

/** Checks that the bytes are a block with that hash; does not check its content. Throws `MALFORMED`. */
export function checkBlockHash(bytes: Uint8Array, hash: Uint8Array, network: NetworkConfig): void {
  const header = checkBlockShape(bytes);
  const actual = readingTypes("block header", () => BlockHeader.decode(header, network).hash);
  if (!equalBytes(actual, hash)) throw malformed("block", "not the requested one");
}
