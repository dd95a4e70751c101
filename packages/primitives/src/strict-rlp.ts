import { bytesToBigint, bytesToNumber, twosComplementToBigint } from "./bytes.js";
import { decodeRlpItem, RlpError, type RlpItem } from "./rlp.js";

const HASH_BYTES = 32;
/** Length of the largest safe integer, in bytes. */
const SAFE_INTEGER_BYTES = 7;

/**
 * Readers of canonical RLP only, for messages of peers: decoded values encode to the same bytes. Items are split no
 * deeper than requested and lists no further than their limit, so that a message with a million empty items costs
 * little. The methods may be destructured.
 */
export class StrictRlp {
  /** `malformed` creates the error to throw, from the name of the item and the reason. */
  constructor(private readonly malformed: (what: string, reason: string, cause?: unknown) => Error) {}

  /** Elements of the list that covers all of `data`. */
  readonly readWholeList = (data: Uint8Array, what: string, limit: number): RlpItem[] =>
    this.readList(this.readWhole(data, what), what, limit);

  /** The element that covers all of `data`. */
  readonly readWhole = (data: Uint8Array, what: string): RlpItem => {
    const item = this.readItem(data, 0, what);
    if (item.end !== data.length) throw this.malformed(what, "bytes after the end");
    return item;
  };

  /** Elements of a list of at most `limit`. */
  readonly readList = (item: RlpItem, what: string, limit: number): RlpItem[] => {
    if (!item.isList) throw this.malformed(what, "not a list");
    const payload = item.payload;
    const items: RlpItem[] = [];
    for (let offset = 0; offset < payload.length; offset = items.at(-1)!.end) {
      if (items.length === limit) throw this.malformed(what, `more than ${limit} items`);
      items.push(this.readItem(payload, offset, what));
    }
    return items;
  };

  /** A list of exactly `size` elements. */
  readonly readTuple = (item: RlpItem, what: string, size: number): RlpItem[] => {
    const items = this.readList(item, what, size);
    if (items.length !== size) throw this.malformed(what, `${items.length} items instead of ${size}`);
    return items;
  };

  /** `bytes` of `spec/07`: a string of at most `limit` bytes. */
  readonly readBytes = (item: RlpItem, what: string, limit: number): Uint8Array => {
    if (item.isList) throw this.malformed(what, "a list instead of bytes");
    const { payload } = item;
    if (payload.length > limit) throw this.malformed(what, `${payload.length} bytes, more than ${limit}`);
    return payload;
  };

  readonly readHash = (item: RlpItem, what: string): Uint8Array => {
    const bytes = this.readBytes(item, what, HASH_BYTES);
    if (bytes.length !== HASH_BYTES) throw this.malformed(what, `${bytes.length} bytes instead of ${HASH_BYTES}`);
    return bytes;
  };

  /** A hash; undefined for an empty string. */
  readonly readOptionalHash = (item: RlpItem, what: string): Uint8Array | undefined =>
    !item.isList && item.payload.length === 0 ? undefined : this.readHash(item, what);

  /** `uint` of `spec/07` in the range of safe integers. */
  readonly readUint = (item: RlpItem, what: string, maximum: number = Number.MAX_SAFE_INTEGER): number => {
    const bytes = this.readUnsigned(item, what, SAFE_INTEGER_BYTES);
    const isSafe = bytes.length < SAFE_INTEGER_BYTES || bytes[0]! <= 0x1f;
    if (!isSafe || bytesToNumber(bytes) > maximum) throw this.malformed(what, `more than ${maximum}`);
    return bytesToNumber(bytes);
  };

  /** `uint` of `spec/07` of at most `limit` bytes. */
  readonly readBigUint = (item: RlpItem, what: string, limit: number): bigint =>
    bytesToBigint(this.readUnsigned(item, what, limit));

  /** `signedInt` of `spec/07`, minimally encoded and not negative: a value of at most `limit` bytes. */
  readonly readSignedInt = (item: RlpItem, what: string, limit: number): bigint => {
    const bytes = this.readBytes(item, what, limit + 1);
    if (bytes.length === 0) throw this.malformed(what, "empty");
    if (bytes[0]! >= 0x80) throw this.malformed(what, "negative");
    const isShortest = bytes.length === 1 || bytes[0] !== 0 || bytes[1]! >= 0x80;
    if (!isShortest || (bytes.length > limit && bytes[0] !== 0)) throw this.malformed(what, "too long");
    return twosComplementToBigint(bytes);
  };

  private readUnsigned(item: RlpItem, what: string, limit: number): Uint8Array {
    const bytes = this.readBytes(item, what, limit);
    if (bytes[0] === 0) throw this.malformed(what, "leading zero byte");
    return bytes;
  }

  private readItem(data: Uint8Array, offset: number, what: string): RlpItem {
    let item: RlpItem;
    try {
      item = decodeRlpItem(data, offset);
    } catch (error) {
      if (error instanceof RlpError) throw this.malformed(what, error.message, error);
      throw error;
    }
    if (!isCanonical(item)) throw this.malformed(what, "RLP is not canonical");
    return item;
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
