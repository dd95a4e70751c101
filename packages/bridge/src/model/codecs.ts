import {
  bigintToBytes,
  bytesToBigint,
  compareBytes,
  decodeRlpList,
  encodeRlp,
  fromHex,
  type RlpItem,
  reverseBytes,
  toHex,
} from "@cambium/primitives";
import { BridgeError } from "../errors.js";

// Encodings of cell values: spec/06a §5.2, spec/06b-1 §2.3.

/** Items of a list that must have exactly this many. Throws {@link BridgeError} `STORED_LIST` or `RlpError`. */
export function decodeItems(cell: Uint8Array, size: number, what: string): readonly RlpItem[] {
  return requireItems(decodeRlpList(cell), size, what);
}

/** Throws {@link BridgeError} `STORED_LIST` unless there are exactly `size` items. */
export function requireItems(items: readonly RlpItem[], size: number, what: string): readonly RlpItem[] {
  if (items.length !== size) throw new BridgeError({ code: "STORED_LIST", what });
  return items;
}

/**
 * Returns the items of a list in groups of one size; no group is incomplete. Throws {@link BridgeError} `STORED_LIST`
 * or `RlpError`.
 */
export function decodeGroups(cell: Uint8Array, size: number, what: string): (readonly RlpItem[])[] {
  const items = decodeRlpList(cell);
  if (items.length % size !== 0) throw new BridgeError({ code: "STORED_LIST", what });
  return groupsOf(items, size);
}

/** Complete groups of items; the rest is ignored. */
export function groupsOf(items: readonly RlpItem[], size: number): (readonly RlpItem[])[] {
  return Array.from({ length: Math.floor(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** Decodes a flat list of hashes and heights to a map from hex hash to height. */
export function decodeHeightMap(cell: Uint8Array): Map<string, bigint> {
  const groups = decodeGroups(cell, 2, "heights");
  return new Map(groups.map(([hash, height]) => [toHex(hash!.bytes), bytesToBigint(height!.bytes)]));
}

/** Encodes that list; hashes are sorted by their bytes from last to first. */
export function encodeHeightMap(heights: ReadonlyMap<string, bigint>): Uint8Array {
  const entries = [...heights].map(([hash, height]) => ({ hash: fromHex(hash), height }));
  entries.sort((a, b) => compareBytes(reverseBytes(a.hash), reverseBytes(b.hash)));
  return encodeRlp(entries.flatMap(({ hash, height }) => [hash, bigintToBytes(height)]));
}
