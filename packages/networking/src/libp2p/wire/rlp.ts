import {
  bytesToBigint,
  bytesToNumber,
  decodeRlpItem,
  EMPTY_BYTES,
  RlpError,
  type RlpInput,
  type RlpItem,
  twosComplementToBigint,
} from "@cambium/primitives";
import { NetworkingError } from "../../errors.js";

// Strict readers: canonical RLP only, so that whatever decodes encodes back to the same bytes. Items are split no deeper
// than requested and lists no further than their limit: a frame with a million empty items costs little.

const HASH_BYTES = 32;
/** Bytes of the largest safe integer. */
const SAFE_INTEGER_BYTES = 7;

export function malformed(what: string, reason: string, cause?: unknown): NetworkingError {
  return new NetworkingError({ code: "MALFORMED", what, reason }, cause === undefined ? undefined : { cause });
}

/** Elements of the list that covers all of `data`. */
export function readWholeList(data: Uint8Array, what: string, limit: number): RlpItem[] {
  return readList(readWhole(data, what), what, limit);
}

/** The element that covers all of `data`. */
export function readWhole(data: Uint8Array, what: string): RlpItem {
  const item = readItem(data, 0, what);
  if (item.end !== data.length) throw malformed(what, "bytes after the end");
  return item;
}

/** Elements of a list of at most `limit`. */
export function readList(item: RlpItem, what: string, limit: number): RlpItem[] {
  if (!item.isList) throw malformed(what, "not a list");
  const payload = item.payload;
  const items: RlpItem[] = [];
  for (let offset = 0; offset < payload.length; offset = items.at(-1)!.end) {
    if (items.length === limit) throw malformed(what, `more than ${limit} items`);
    items.push(readItem(payload, offset, what));
  }
  return items;
}

/** A list of exactly `size` elements. */
export function readTuple(item: RlpItem, what: string, size: number): RlpItem[] {
  const items = readList(item, what, size);
  if (items.length !== size) throw malformed(what, `${items.length} items instead of ${size}`);
  return items;
}

function readItem(data: Uint8Array, offset: number, what: string): RlpItem {
  try {
    const item = decodeRlpItem(data, offset);
    if (!isCanonical(item)) throw malformed(what, "RLP is not canonical");
    return item;
  } catch (error) {
    if (error instanceof RlpError) throw malformed(what, error.message, error);
    throw error;
  }
}

/** Whether the length is minimally encoded, and a byte below 0x80 has no prefix. */
function isCanonical(item: RlpItem): boolean {
  const payload = item.payload;
  const prefix = item.raw.length - payload.length;
  if (payload.length >= 56) return prefix === 1 + byteLength(payload.length);
  const isOwnEncoding = !item.isList && payload.length === 1 && payload[0]! < 0x80;
  return prefix === (isOwnEncoding ? 0 : 1);
}

function byteLength(value: number): number {
  return Math.ceil((32 - Math.clz32(value)) / 8);
}

/** `bytes` of `spec/07`: a string of at most `limit` bytes. */
export function readBytes(item: RlpItem, what: string, limit: number): Uint8Array {
  if (item.isList) throw malformed(what, "a list instead of bytes");
  const { payload } = item;
  if (payload.length > limit) throw malformed(what, `${payload.length} bytes, more than ${limit}`);
  return payload;
}

export function readHash(item: RlpItem, what: string): Uint8Array {
  const bytes = readBytes(item, what, HASH_BYTES);
  if (bytes.length !== HASH_BYTES) throw malformed(what, `${bytes.length} bytes instead of ${HASH_BYTES}`);
  return bytes;
}

/** A hash; undefined for an empty string. */
export function readOptionalHash(item: RlpItem, what: string): Uint8Array | undefined {
  return !item.isList && item.payload.length === 0 ? undefined : readHash(item, what);
}

/** `uint` of `spec/07` in the range of safe integers. */
export function readUint(item: RlpItem, what: string, maximum: number = Number.MAX_SAFE_INTEGER): number {
  const bytes = readUnsigned(item, what, SAFE_INTEGER_BYTES);
  const isSafe = bytes.length < SAFE_INTEGER_BYTES || bytes[0]! <= 0x1f;
  if (!isSafe || bytesToNumber(bytes) > maximum) throw malformed(what, `more than ${maximum}`);
  return bytesToNumber(bytes);
}

/** `uint` of `spec/07` of at most `limit` bytes. */
export function readBigUint(item: RlpItem, what: string, limit: number): bigint {
  return bytesToBigint(readUnsigned(item, what, limit));
}

function readUnsigned(item: RlpItem, what: string, limit: number): Uint8Array {
  const bytes = readBytes(item, what, limit);
  if (bytes[0] === 0) throw malformed(what, "leading zero byte");
  return bytes;
}

/** `signedInt` of `spec/07`, minimally encoded and not negative: a value of at most `limit` bytes. */
export function readSignedInt(item: RlpItem, what: string, limit: number): bigint {
  const bytes = readBytes(item, what, limit + 1);
  if (bytes.length === 0) throw malformed(what, "empty");
  if (bytes[0]! >= 0x80) throw malformed(what, "negative");
  const isShortest = bytes.length === 1 || bytes[0] !== 0 || bytes[1]! >= 0x80;
  if (!isShortest || (bytes.length > limit && bytes[0] !== 0)) throw malformed(what, "too long");
  return twosComplementToBigint(bytes);
}

/** Encoder input for an optional hash. */
export function optionalHash(hash: Uint8Array | undefined): RlpInput {
  return hash ?? EMPTY_BYTES;
}
