import {
  bigintToBytes,
  bytesToBigint,
  compareBytes,
  decodeRlpList,
  encodeRlp,
  fromHex,
  reverseBytes,
  toHex,
} from "@cambium/primitives";

// Encodings of cell values: spec/06a §5.2, spec/06b-1 §2.3.

/** Decodes a flat list of hashes and heights to a map from hex hash to height. */
export function decodeHeightMap(cell: Uint8Array): Map<string, bigint> {
  const items = decodeRlpList(cell);
  const heights = new Map<string, bigint>();
  for (let i = 0; i + 1 < items.length; i += 2) heights.set(toHex(items[i]!.bytes), bytesToBigint(items[i + 1]!.bytes));
  return heights;
}

/** Encodes that list; hashes are sorted by their bytes from last to first. */
export function encodeHeightMap(heights: ReadonlyMap<string, bigint>): Uint8Array {
  const entries = [...heights].map(([hash, height]) => ({ hash: fromHex(hash), height }));
  entries.sort((a, b) => compareBytes(reverseBytes(a.hash), reverseBytes(b.hash)));
  return encodeRlp(entries.flatMap(({ hash, height }) => [hash, bigintToBytes(height)]));
}
