import {
  bigintToBytes,
  bigintToTwosComplement,
  numberToBytes,
  RawRlp,
  type RlpInput,
  type RlpItem,
} from "@cambium/primitives";
import {
  malformed,
  readBigUint,
  readBytes,
  readHash,
  readList,
  readSignedInt,
  readTuple,
  readUint,
  readWhole,
} from "../rlp.js";

/** The encoding of a value. `decode` throws `RlpxError` `MALFORMED`, with `what` as the name of the value. */
export interface Field<T> {
  encode(value: T): RlpInput;
  decode(item: RlpItem, what: string): T;
}

/** Bytes of a total difficulty: enough for 2^128. */
const DIFFICULTY_BYTES = 16;
const ID_BYTES = 8;
/** Ids are signed 64-bit integers in the deployed client (`spec/07 §A.3.2`). */
const MAX_ID = 2n ** 63n - 1n;

export const uint: Field<number> = { encode: numberToBytes, decode: readUint };

export const hash: Field<Uint8Array> = { encode: (value) => value, decode: readHash };

/** Id of a request: 0 to 2^63 - 1. */
export const requestId: Field<bigint> = {
  encode: bigintToBytes,
  decode: (item, what) => {
    const id = readBigUint(item, what, ID_BYTES);
    if (id > MAX_ID) throw malformed(what, `more than ${MAX_ID}`);
    return id;
  },
};

/** The difficulty of the Status with code 0x10 (`spec/07 §A.3.1`). */
export const unsignedDifficulty: Field<bigint> = {
  encode: bigintToBytes,
  decode: (item, what) => readBigUint(item, what, DIFFICULTY_BYTES),
};

/** The difficulties of all other messages: `signedInt`, which is not negative (`spec/07 §A.3.3`). */
export const signedDifficulty: Field<bigint> = {
  encode: bigintToTwosComplement,
  decode: (item, what) => readSignedInt(item, what, DIFFICULTY_BYTES),
};

export const flag: Field<boolean> = {
  encode: (value) => numberToBytes(value ? 1 : 0),
  decode: (item, what) => readUint(item, what, 1) === 1,
};

/** A string of at most `limit` bytes. */
export function bytes(limit: number): Field<Uint8Array> {
  return { encode: (value) => value, decode: (item, what) => readBytes(item, what, limit) };
}

/** RLP of a list, whose elements are not read. */
export const rawList: Field<Uint8Array> = {
  encode: (value) => new RawRlp(value),
  decode: (item, what) => {
    if (!item.isList) throw malformed(what, "not a list");
    return item.raw;
  },
};

/** `item(block)`: RLP of a block in a string. Only its three lists are read. */
export function block(limit: number): Field<Uint8Array> {
  return {
    encode: (value) => value,
    decode: (item, what) => {
      const encoded = readBytes(item, what, limit);
      const parts = readTuple(readWhole(encoded, what), what, 3);
      if (!parts.every((part) => part.isList)) throw malformed(what, "a string in place of a list");
      return encoded;
    },
  };
}

/** A list of at most `limit` elements. */
export function listOf<T>(element: Field<T>, limit: number): Field<readonly T[]> {
  return {
    encode: (values) => values.map((value) => element.encode(value)),
    decode: (item, what) => readList(item, what, limit).map((part) => element.decode(part, what)),
  };
}

type Fields<T> = { readonly [Key in keyof T]-?: Field<T[Key]> };

/** A list of the fields in the order of their keys, all of which are present. */
export function struct<T extends object>(fields: Fields<T>): Field<T> {
  const entries = Object.entries(fields) as [keyof T & string, Field<T[keyof T]>][];
  return {
    encode: (value) => entries.map(([key, field]) => field.encode(value[key])),
    decode: (item, what) => {
      const parts = readTuple(item, what, entries.length);
      const read = entries.map(([key, field], i) => [key, field.decode(parts[i]!, `${what} ${key}`)]);
      return Object.fromEntries(read) as T;
    },
  };
}

/** A value that stands alone, as the property `key` of an object. */
export function alone<Key extends string, T>(key: Key, field: Field<T>): Field<Record<Key, T>> {
  return {
    encode: (value) => field.encode(value[key]),
    decode: (item, what) => ({ [key]: field.decode(item, `${what} ${key}`) }) as Record<Key, T>,
  };
}
