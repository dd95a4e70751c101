import { bytesToBigint, compareBytes, decodeRlpList, toHex } from "@cambium/primitives";

// Values of cells, read: spec/06a §5.2, spec/06b-1 §2.3.

/** Flat list of hash and height: hex of the hash to height. */
export function decodeHeightMap(cell: Uint8Array): Map<string, bigint> {
  const items = decodeRlpList(cell);
  const heights = new Map<string, bigint>();
  for (let i = 0; i + 1 < items.length; i += 2) heights.set(toHex(items[i]!.bytes), bytesToBigint(items[i + 1]!.bytes));
  return heights;
}

/** Who may peg in, from the time when not everybody could. */
export interface WhitelistEntry {
  /** Hash in the address, 20 bytes. */
  hash: Uint8Array;
  /** Largest amount of a one-off entry in satoshi; undefined is without limit. */
  maximum?: bigint;
}

/** Entries in order of their hash. The disable height that ends the one-off list is left out. */
export function decodeWhitelist(oneOff: Uint8Array, unlimited: Uint8Array | undefined): WhitelistEntry[] {
  const items = decodeRlpList(oneOff);
  const entries: WhitelistEntry[] = [];
  for (let i = 0; i + 1 < items.length; i += 2) {
    entries.push({ hash: items[i]!.bytes, maximum: bytesToBigint(items[i + 1]!.bytes) });
  }
  if (unlimited !== undefined) entries.push(...decodeRlpList(unlimited).map((item) => ({ hash: item.bytes })));
  return entries.sort((a, b) => compareBytes(a.hash, b.hash));
}
