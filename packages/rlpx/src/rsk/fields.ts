import {
  bigintToBytes,
  bigintToTwosComplement,
  bytesToBigint,
  EMPTY_BYTES,
  numberToBytes,
  RawRlp,
  type RlpInput,
  type RlpItem,
} from "@cambium/primitives";
import { malformed } from "../rlp.js";
import { dataOf, elementsIn, firstElement, intIn, listIn, longIn, safeLongIn, tupleIn } from "../tolerant-rlp.js";

/**
 * The encoding of a value. `encode` writes like the deployed client. `decode` reads like it, which is more tolerant
 * (`spec/07 §A.3.2`). It throws `RlpxError` `MALFORMED`, with `what` as the name of the value.
 */
export interface Field<T> {
  encode(value: T): RlpInput;
  decode(item: RlpItem, what: string): T;
  /** Value of an element that is missing at the end of a list; if undefined, the list is malformed. */
  readonly missing?: { readonly value: T };
}

const HASH_BYTES = 32;
/**
 * Maximum difficulty that is read; greater ones are read as this one. They claim more work than the parent chain will
 * have for centuries.
 */
const MAX_DIFFICULTY = 2n ** 128n - 1n;

/** A height or an offset. */
export const uint: Field<number> = { encode: numberToBytes, decode: safeLongIn };

/** A count, or another number of 32 bits. */
export const count: Field<number> = { encode: numberToBytes, decode: intIn };

/** The version in the Status with code 0x10: a byte. */
export const version: Field<number> = {
  encode: (value) => Uint8Array.of(value),
  decode: (item, what) => {
    const [first] = dataOf(item);
    if (first === undefined) throw malformed(what, "empty");
    return first;
  },
};

/** A hash of 32 bytes; empty if the peer sent another number of bytes, which identify no block. */
export const hash: Field<Uint8Array> = {
  encode: (value) => value,
  decode: (item) => {
    const data = dataOf(item);
    return data.length === HASH_BYTES ? data : EMPTY_BYTES;
  },
};

/** The hash of genesis. If it is missing, the deployed client closes the connection. */
export const genesisHash: Field<Uint8Array> = {
  encode: (value) => value,
  decode: (item, what) => {
    const data = hash.decode(item, what);
    if (data.length === 0) throw malformed(what, `${dataOf(item).length} bytes instead of ${HASH_BYTES}`);
    return data;
  },
};

/** Id of a request, 64 bits: the deployed client's own are below 2^63. */
export const requestId: Field<bigint> = { encode: bigintToBytes, decode: longIn };

/** The difficulty of the Status with code 0x10 (`spec/07 §A.3.1`). */
export const unsignedDifficulty: Field<bigint> = {
  encode: bigintToBytes,
  decode: (item) => limited(bytesToBigint(dataOf(item))),
};

/** The difficulties of all other messages: `signedInt`, which is not negative (`spec/07 §A.3.3`). */
export const signedDifficulty: Field<bigint> = {
  encode: bigintToTwosComplement,
  decode: (item, what) => {
    const data = dataOf(item);
    if (data.length > 0 && data[0]! >= 0x80) throw malformed(what, "negative");
    return limited(bytesToBigint(data));
  },
};

function limited(difficulty: bigint): bigint {
  return difficulty > MAX_DIFFICULTY ? MAX_DIFFICULTY : difficulty;
}

export const flag: Field<boolean> = {
  encode: (value) => numberToBytes(value ? 1 : 0),
  decode: (item) => (dataOf(item)[0] ?? 0) !== 0,
};

/** A string of at most `limit` bytes. */
export function bytes(limit: number): Field<Uint8Array> {
  return {
    encode: (value) => value,
    decode: (item, what) => {
      const data = dataOf(item);
      if (data.length > limit) throw malformed(what, `${data.length} bytes, more than ${limit}`);
      return data;
    },
  };
}

/** RLP of a list whose elements are not read. */
export const rawList: Field<Uint8Array> = {
  encode: (value) => new RawRlp(value),
  decode: (item, what) => listIn(item, what).raw,
};

/** `item(block)`: RLP of a block in a string. Only its three parts are read, which must be lists. */
export function block(limit: number): Field<Uint8Array> {
  return {
    encode: (value) => value,
    decode: (item, what) => {
      const data = dataOf(item);
      if (data.length > limit) throw malformed(what, `${data.length} bytes, more than ${limit}`);
      const encoded = firstElement(data, what);
      const parts = encoded.isList ? elementsIn(encoded, what, 4) : [];
      if (parts.length !== 3) throw malformed(what, "it has not exactly 3 items");
      if (!parts.every((part) => part.isList)) throw malformed(what, "a string in place of a list");
      return encoded.raw;
    },
  };
}

/** A list with at most `limit` elements that are read. */
export function listOf<T>(element: Field<T>, limit: number): Field<readonly T[]> {
  return {
    encode: (values) => values.map((value) => element.encode(value)),
    decode: (item, what) => elementsIn(item, what, limit).map((part) => element.decode(part, what)),
  };
}

/** A field at the end of a list that the deployed client does not read: `value` if it is missing. */
export function optional<T>(field: Field<T>, value: T): Field<T> {
  return { ...field, missing: { value } };
}

type Fields<T> = { readonly [Key in keyof T]-?: Field<T[Key]> };

/** A list of the fields in the order of their keys; further elements are ignored. */
export function struct<T extends object>(fields: Fields<T>): Field<T> {
  const entries = Object.entries(fields) as [keyof T & string, Field<T[keyof T]>][];
  const required = entries.filter(([, { missing }]) => missing === undefined).length;
  return {
    encode: (value) => entries.map(([key, field]) => field.encode(value[key])),
    decode: (item, what) => {
      const parts = entries.length === 0 ? [] : elementsIn(item, what, entries.length);
      if (parts.length < required) throw malformed(what, `${parts.length} items instead of ${required}`);
      const read = entries.map(([key, field], i) => {
        const part = parts[i];
        return [key, part === undefined ? field.missing!.value : field.decode(part, `${what} ${key}`)];
      });
      return Object.fromEntries(read) as T;
    },
  };
}

/** A single value, as the property `key` of an object. */
export function alone<Key extends string, T>(key: Key, field: Field<T>): Field<Record<Key, T>> {
  return {
    encode: (value) => field.encode(value[key]),
    decode: (item, what) => ({ [key]: field.decode(item, `${what} ${key}`) }) as Record<Key, T>,
  };
}

/** Splits an id from the rest of an element. */
export function withId(item: RlpItem, what: string): { id: bigint; content: RlpItem } {
  const [id, content] = tupleIn(item, what, 2) as [RlpItem, RlpItem];
  return { id: requestId.decode(id, `${what} id`), content };
}
