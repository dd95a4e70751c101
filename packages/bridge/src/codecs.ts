import { bytesToBigint, decodeRlpList, toHex } from "@cambium/primitives";

// Values of cells, read: spec/06a §5.2, spec/06b-1 §2.3.

/** Flat list of hash and height: hex of the hash to height. */
export function decodeHeightMap(cell: Uint8Array): Map<string, bigint> {
  const items = decodeRlpList(cell);
  const heights = new Map<string, bigint>();
  for (let i = 0; i + 1 < items.length; i += 2) heights.set(toHex(items[i]!.bytes), bytesToBigint(items[i + 1]!.bytes));
  return heights;
}
