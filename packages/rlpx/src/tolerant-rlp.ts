import { bytesToBigint, decodeRlpItem, RlpError, type RlpItem } from "@cambium/primitives";
import { malformed } from "./rlp.js";

// Reads RLP like the deployed client (spec/07 §A.3.2). Non-minimal lengths, bytes after the end, further elements and
// leading zeros are accepted, and a list and a string may stand for each other. A value that the deployed client cannot
// use either is MALFORMED. Lists are split no further than needed, so that a message with a million elements costs
// little.

/** Size in bytes of ids and heights, and of counts, ports and network ids, in the deployed client. */
const LONG_BYTES = 8;
const INT_BYTES = 4;

/** Returns the first element of `data`; ignores what follows. */
export function firstElement(data: Uint8Array, what: string, offset = 0): RlpItem {
  try {
    return decodeRlpItem(data, offset);
  } catch (error) {
    if (error instanceof RlpError) throw malformed(what, error.message, error);
    throw error;
  }
}

/** Returns the bytes of a string; for a list, its encoding. */
export function dataOf(item: RlpItem): Uint8Array {
  return item.isList ? item.raw : item.payload;
}

/** Returns the list that the element is, or that it contains as a string. */
export function listIn(item: RlpItem, what: string): RlpItem {
  const list = item.isList ? item : firstElement(item.payload, what);
  if (!list.isList) throw malformed(what, "not a list");
  return list;
}

/** Returns the first elements of {@link listIn}, at most `limit`. */
export function elementsIn(item: RlpItem, what: string, limit: number): RlpItem[] {
  const { payload } = listIn(item, what);
  const elements: RlpItem[] = [];
  for (let offset = 0; offset < payload.length && elements.length < limit; offset = elements.at(-1)!.end) {
    elements.push(firstElement(payload, what, offset));
  }
  return elements;
}

/** Like {@link elementsIn}; there must be at least `count`. */
export function tupleIn(item: RlpItem, what: string, count: number): RlpItem[] {
  const elements = elementsIn(item, what, count);
  if (elements.length < count) throw malformed(what, `${elements.length} items instead of ${count}`);
  return elements;
}

/** Returns the lowest 64 bits of an unsigned number. */
export function longIn(item: RlpItem): bigint {
  return bytesToBigint(dataOf(item).subarray(-LONG_BYTES));
}

/**
 * Returns a number whose 64 bits the deployed client reads as signed: 0 if negative, and at most the greatest safe
 * integer. Except genesis, no block has either height.
 */
export function safeLongIn(item: RlpItem): number {
  const value = BigInt.asIntN(8 * LONG_BYTES, longIn(item));
  if (value < 0n) return 0;
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

/** Returns the lowest 32 bits of an unsigned number; 0 if they are negative as a signed number. */
export function intIn(item: RlpItem): number {
  return Math.max(0, Number(BigInt.asIntN(8 * INT_BYTES, bytesToBigint(dataOf(item).subarray(-INT_BYTES)))));
}
