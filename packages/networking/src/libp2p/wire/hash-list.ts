import { encodeRlp } from "@cambium/primitives";
import { malformed, readHash, readList, readTuple, readWhole } from "../../rlp.js";

// Encodes a request by hash: `[[hash, …]]`.

export function encodeHashList(hashes: readonly Uint8Array[]): Uint8Array {
  return encodeRlp([hashes]);
}

/** Decodes 1 to `limit` hashes. Throws `MALFORMED`. */
export function decodeHashList(bytes: Uint8Array, what: string, limit: number): Uint8Array[] {
  const [list] = readTuple(readWhole(bytes, what), what, 1);
  const items = readList(list!, what, limit);
  if (items.length === 0) throw malformed(what, "no hashes");
  return items.map((item) => readHash(item, what));
}

/** Returns the requested hash that frame `index` answers. Throws `MALFORMED` for a frame beyond the last. */
export function requestedHash(hashes: readonly Uint8Array[], index: number, what: string): Uint8Array {
  const hash = hashes[index];
  if (hash === undefined) throw malformed(what, "more items than requested");
  return hash;
}
