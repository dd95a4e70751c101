import {
  bigintToFixedBytes,
  bigintToTwosComplement,
  bytesToBigint,
  concatBytes,
  joinBytes,
  leftPad,
  toHex,
  utf8,
} from "./bytes.js";
import { keccak256 } from "./crypto/keccak.js";
import { CambiumError } from "./errors.js";

// Solidity ABI, encoded and decoded like in the deployed client: spec/04 §6.7.

/** Call data cannot be decoded, or a type is unknown; `what` names it. */
export class AbiError extends CambiumError<{ code: "INVALID_ABI"; what: string }> {}

/** A decoded value or one to encode; its {@link AbiType} determines the member of the union. */
export type AbiValue = bigint | boolean | string | Uint8Array | readonly AbiValue[];

/** A value whose bounds were checked. Text and arrays are decoded when they are used. */
export type AbiArgument = bigint | boolean | Uint8Array | AbiText | AbiArray;

/** One ABI type. Every head slot has 32 bytes. */
export interface AbiType {
  /** Canonical name, as used in signatures. */
  readonly name: string;
  /** Whether the head slot holds an offset. */
  readonly dynamic: boolean;
  /**
   * Whether there is a well-formed value at `offset`; `data` starts after the selector. Allocates nothing. Takes
   * constant time, or constant time per head slot of an array.
   */
  isAt(data: Uint8Array, offset: number): boolean;
  /** Returns the well-formed value at `offset`, in constant time. It shares the memory of `data`. */
  read(data: Uint8Array, offset: number): AbiArgument;
  encode(value: AbiValue): Uint8Array;
}

/** A `string` argument: bytes that should be UTF-8. */
export class AbiText {
  constructor(readonly bytes: Uint8Array) {}

  /** Decodes the text; malformed sequences are replaced. */
  toString(): string {
    return decoder.decode(this.bytes);
  }
}

/** An array argument. Its elements are read individually, because many may share the same bytes. */
export class AbiArray {
  /** `start` is the offset of the first head slot. */
  constructor(
    private readonly element: AbiType,
    private readonly data: Uint8Array,
    private readonly start: number,
    readonly length: number,
  ) {}

  /** The element at an index below {@link length}. */
  at(index: number): AbiArgument {
    const { element, data, start } = this;
    const head = start + index * SLOT;
    return element.read(data, element.dynamic ? start + readInt32(data, head) : head);
  }

  *[Symbol.iterator](): Iterator<AbiArgument> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }
}

const SLOT = 32;
/** Position of the low 32 bits in a slot. */
const LOW = SLOT - 4;

function hasRange(data: Uint8Array, offset: number, size: number): boolean {
  return offset >= 0 && size >= 0 && offset + size <= data.length;
}

/** Empty data (a call with the bare selector) has integers at any offset. */
function hasInt(data: Uint8Array, offset: number): boolean {
  return data.length === 0 || hasRange(data, offset, SLOT);
}

/** A signed word. */
function readInt(data: Uint8Array, offset: number): bigint {
  if (data.length === 0) return 0n;
  return BigInt.asIntN(256, bytesToBigint(data.subarray(offset, offset + SLOT)));
}

/** The low 32 bits of a word, signed: the form of offsets and lengths. Bytes beyond the end of `data` read as zeros. */
function readInt32(data: Uint8Array, offset: number): number {
  const at = offset + LOW;
  return (data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!;
}

function encodeInt(value: bigint): Uint8Array {
  return bigintToFixedBytes(BigInt.asUintN(256, value), SLOT);
}

/** Integers of every width and sign decode identically: signed, without a range check. */
function integer(name: string): AbiType {
  return { name, dynamic: false, isAt: hasInt, read: readInt, encode: (value) => encodeInt(value as bigint) };
}

const bool: AbiType = {
  name: "bool",
  dynamic: false,
  isAt: hasInt,
  read: (data, offset) => readInt32(data, offset) !== 0,
  encode: (value) => encodeInt(value === true ? 1n : 0n),
};

/**
 * An address of 20 bytes. Decoding converts the word to a signed integer and back in its shortest form. Leading `ff`
 * bytes of a negative word, including the upper bytes, therefore become zeros.
 */
const address: AbiType = {
  name: "address",
  dynamic: false,
  isAt: hasInt,
  read: (data, offset) => leftPad(bigintToTwosComplement(readInt(data, offset)), SLOT).slice(SLOT - 20),
  encode: (value) => leftPad(value as Uint8Array, SLOT),
};

/** Always 32 bytes when decoded; right-aligned when encoded. */
function fixedBytes(name: string): AbiType {
  return {
    name,
    dynamic: false,
    isAt: (data, offset) => hasRange(data, offset, SLOT),
    read: (data, offset) => data.subarray(offset, offset + SLOT),
    encode: (value) => leftPad(value as Uint8Array, SLOT),
  };
}

/** Whether a length and that many bytes are at `offset`. */
function hasContent(data: Uint8Array, offset: number): boolean {
  return hasInt(data, offset) && hasRange(data, offset + SLOT, readInt32(data, offset));
}

function readContent(data: Uint8Array, offset: number): Uint8Array {
  return data.subarray(offset + SLOT, offset + SLOT + readInt32(data, offset));
}

/** Encodes the length, then the content padded to whole words. Empty content is also padded to one word. */
function encodeBytes(value: Uint8Array): Uint8Array {
  const out = new Uint8Array(SLOT + Math.max(1, Math.ceil(value.length / SLOT)) * SLOT);
  out.set(encodeInt(BigInt(value.length)));
  out.set(value, SLOT);
  return out;
}

const bytes: AbiType = {
  name: "bytes",
  dynamic: true,
  isAt: hasContent,
  read: readContent,
  encode: (value) => encodeBytes(value as Uint8Array),
};

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const string: AbiType = {
  name: "string",
  dynamic: true,
  isAt: hasContent,
  read: (data, offset) => new AbiText(readContent(data, offset)),
  encode: (value) => encodeBytes(utf8(value as string)),
};

function dynamicArray(element: AbiType): AbiType {
  const findMalformed = element.isAt === hasContent ? firstWithoutContent : firstMalformed;
  /**
   * Index of the malformed element that was found last. It is checked first, because a caller may repeat a malformed
   * call.
   */
  let suspect = 0;

  const areElementsAt = (data: Uint8Array, start: number, length: number): boolean => {
    if (!element.dynamic) return true;
    if (suspect < length && !element.isAt(data, start + readInt32(data, start + suspect * SLOT))) return false;
    const index = findMalformed(data, start, length, element);
    if (index < length) suspect = index;
    return index === length;
  };

  return {
    name: `${element.name}[]`,
    dynamic: true,
    isAt(data, offset) {
      if (data.length === 0) return true;
      if (!hasInt(data, offset)) return false;
      const length = readInt32(data, offset);
      const start = offset + SLOT;
      return length >= 0 && hasRange(data, start, length * SLOT) && areElementsAt(data, start, length);
    },
    read(data, offset) {
      return new AbiArray(element, data, offset + SLOT, readInt32(data, offset));
    },
    encode(value) {
      const items = value as readonly AbiValue[];
      const types = items.map(() => element);
      return concatBytes(encodeInt(BigInt(items.length)), encodeSequence(types, items));
    },
  };
}

/** Returns the index of the first malformed element; `length` if there is none. All head slots are within the data. */
function firstMalformed(data: Uint8Array, start: number, length: number, element: AbiType): number {
  let index = 0;
  while (index < length && element.isAt(data, start + readInt32(data, start + index * SLOT))) index++;
  return index;
}

/**
 * Works like {@link firstMalformed} for `bytes` and `string`, but several times faster: a caller may pass a megabyte of
 * heads for little gas. Heads are checked in groups of four with one branch, which spares a third of the time. Whatever
 * is outside the data makes a number of the group negative. A sum of 2^31 or more wraps to a negative offset, too.
 */
function firstWithoutContent(data: Uint8Array, start: number, length: number): number {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const last = data.length - SLOT;
  let index = 0;
  let low = start + LOW;
  for (; index + 4 <= length; index += 4, low += 4 * SLOT) {
    const a = (start + view.getInt32(low)) | 0;
    const b = (start + view.getInt32(low + SLOT)) | 0;
    const c = (start + view.getInt32(low + 2 * SLOT)) | 0;
    const d = (start + view.getInt32(low + 3 * SLOT)) | 0;
    if ((a | b | c | d | (last - a) | (last - b) | (last - c) | (last - d)) < 0) break;
    const sizeA = view.getInt32(a + LOW);
    const sizeB = view.getInt32(b + LOW);
    const sizeC = view.getInt32(c + LOW);
    const sizeD = view.getInt32(d + LOW);
    const sizes = sizeA | sizeB | sizeC | sizeD;
    if ((sizes | (last - a - sizeA) | (last - b - sizeB) | (last - c - sizeC) | (last - d - sizeD)) < 0) break;
  }
  for (; index < length; index++, low += SLOT) {
    const offset = (start + view.getInt32(low)) | 0;
    if (offset < 0 || offset > last) return index;
    const size = view.getInt32(offset + LOW);
    if (size < 0 || size > last - offset) return index;
  }
  return length;
}

/**
 * Offset in the head slot of a dynamic argument. Unlike other slots, it may be truncated or start exactly at the end;
 * missing bytes read as zeros, because the deployed client uses a different decoder for it.
 */
function argumentOffset({ dynamic }: AbiType, data: Uint8Array, head: number): number {
  return dynamic ? readInt32(data, head) : head;
}

function encodeSequence(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  let tailOffset = values.length * SLOT;
  values.forEach((value, i) => {
    const type = types[i]!;
    const encoded = type.encode(value);
    if (!type.dynamic) {
      heads.push(encoded);
      return;
    }
    heads.push(encodeInt(BigInt(tailOffset)));
    tails.push(encoded);
    tailOffset += encoded.length;
  });
  return joinBytes([...heads, ...tails]);
}

/** Inner heads may overlap, so that the time to check these types would be quadratic in the data. */
const NESTED_HEADS = /^(bytes|string|.*\[\])\[\]\[\]$/;

/**
 * The type with a canonical name: `int…`, `uint…`, `bool`, `address`, `bytes…`, `string`, dynamic arrays of these, and
 * arrays of arrays of fixed-size elements. Throws {@link AbiError} `INVALID_ABI` for any other name.
 */
export function abiType(name: string): AbiType {
  if (name.endsWith("[]") && !NESTED_HEADS.test(name)) return dynamicArray(abiType(name.slice(0, -2)));
  if (/^u?int\d+$/.test(name)) return integer(name);
  if (/^bytes\d+$/.test(name)) return fixedBytes(name);
  const type = { bool, address, bytes, string }[name];
  if (type === undefined) throw new AbiError({ code: "INVALID_ABI", what: `type ${name}` });
  return type;
}

/** A function: its selector and the types of its arguments and results. */
export interface AbiFunction {
  readonly name: string;
  /** 8 hex digits. */
  readonly selector: string;
  readonly inputs: readonly AbiType[];
  readonly outputs: readonly AbiType[];
}

/** Builds a function from canonical type names. */
export function abiFunction(name: string, inputs: readonly string[], outputs: readonly string[]): AbiFunction {
  const hash = keccak256(utf8(`${name}(${inputs.join(",")})`));
  const selector = toHex(hash.subarray(0, 4));
  return { name, selector, inputs: inputs.map(abiType), outputs: outputs.map(abiType) };
}

/**
 * Reads the arguments of a call; `data` includes the selector, and the results share its memory. Checks all bounds
 * before anything is decoded, and decodes no content. Undefined if the arguments are malformed.
 */
export function readArguments({ inputs }: AbiFunction, data: Uint8Array): AbiArgument[] | undefined {
  const args = data.subarray(4);
  for (const [i, type] of inputs.entries()) {
    const head = i * SLOT;
    if (type.dynamic && head > args.length) return undefined;
    if (!type.isAt(args, argumentOffset(type, args, head))) return undefined;
  }
  return inputs.map((type, i) => type.read(args, argumentOffset(type, args, i * SLOT)));
}

/**
 * Decodes the arguments of a call; `data` includes the selector, and bytes in the results share its memory. Throws
 * {@link AbiError} `INVALID_ABI` if they are malformed, or if elements share so many bytes that the values would
 * outgrow the data.
 */
export function decodeArguments(definition: AbiFunction, data: Uint8Array): AbiValue[] {
  const malformed = () => new AbiError({ code: "INVALID_ABI", what: `arguments of ${definition.name}` });
  const args = readArguments(definition, data);
  if (args === undefined) throw malformed();
  let room = data.length;
  const decode = (argument: AbiArgument): AbiValue => {
    if (!(argument instanceof AbiText || argument instanceof AbiArray)) return argument;
    room -= argument instanceof AbiText ? argument.bytes.length : argument.length;
    if (room < 0) throw malformed();
    return argument instanceof AbiText ? argument.toString() : Array.from(argument, decode);
  };
  return args.map(decode);
}

/** Encodes values, one per type. */
export function encodeValues(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  return encodeSequence(types, values);
}
