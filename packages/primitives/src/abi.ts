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
import { CambiumError } from "./errors.js";
import { keccak256 } from "./keccak.js";

// Solidity ABI as the deployed client encodes and decodes it: spec/04 §6.7.

/** Call data cannot be decoded, or a type is unknown; `what` names it. */
export class AbiError extends CambiumError<{ code: "INVALID_ABI"; what: string }> {}

/** A decoded value or one to encode; its {@link AbiType} determines the member of the union. */
export type AbiValue = bigint | boolean | string | Uint8Array | readonly AbiValue[];

/** One ABI type. Every head slot has 32 bytes. */
export interface AbiType {
  /** Canonical name, as used in signatures. */
  readonly name: string;
  /** Whether the head slot holds an offset. */
  readonly dynamic: boolean;
  /**
   * Decodes the value at `offset`. `data` starts after the selector, and the result may share its memory. Throws
   * {@link AbiError} `INVALID_ABI` if the value is malformed.
   */
  decode(data: Uint8Array, offset: number): AbiValue;
  encode(value: AbiValue): Uint8Array;
}

const SLOT = 32;

/** Throws {@link AbiError} `INVALID_ABI` unless `data` has `size` bytes from `offset` on. */
function requireRange(data: Uint8Array, offset: number, size: number, what: string): void {
  if (offset < 0 || size < 0 || offset + size > data.length) throw new AbiError({ code: "INVALID_ABI", what });
}

/** A signed word. Empty data (a call with the bare selector) reads as 0 at any offset. */
function decodeInt(data: Uint8Array, offset: number): bigint {
  if (data.length === 0) return 0n;
  requireRange(data, offset, SLOT, "integer");
  return BigInt.asIntN(256, bytesToBigint(data.subarray(offset, offset + SLOT)));
}

/** The low 32 bits of a word, signed: the form of offsets and lengths. */
function decodeInt32(data: Uint8Array, offset: number): number {
  return Number(BigInt.asIntN(32, decodeInt(data, offset)));
}

function encodeInt(value: bigint): Uint8Array {
  return bigintToFixedBytes(BigInt.asUintN(256, value), SLOT);
}

/** Integers of every width and sign decode identically: signed, without a range check. */
function integer(name: string): AbiType {
  return { name, dynamic: false, decode: decodeInt, encode: (value) => encodeInt(value as bigint) };
}

const bool: AbiType = {
  name: "bool",
  dynamic: false,
  decode: (data, offset) => decodeInt32(data, offset) !== 0,
  encode: (value) => encodeInt(value === true ? 1n : 0n),
};

/**
 * 20 bytes. Decoding converts the word to a signed integer and back in its shortest form, so leading `ff` bytes of a
 * negative word (including the upper bytes) become zeros.
 */
const address: AbiType = {
  name: "address",
  dynamic: false,
  decode: (data, offset) => leftPad(bigintToTwosComplement(decodeInt(data, offset)), SLOT).slice(SLOT - 20),
  encode: (value) => leftPad(value as Uint8Array, SLOT),
};

/** Always 32 bytes when decoded; right-aligned when encoded. */
function fixedBytes(name: string): AbiType {
  return {
    name,
    dynamic: false,
    decode(data, offset) {
      requireRange(data, offset, SLOT, name);
      return data.subarray(offset, offset + SLOT);
    },
    encode: (value) => leftPad(value as Uint8Array, SLOT),
  };
}

function decodeBytes(data: Uint8Array, offset: number): Uint8Array {
  const length = decodeInt32(data, offset);
  requireRange(data, offset + SLOT, length, "bytes");
  return data.subarray(offset + SLOT, offset + SLOT + length);
}

/** The length, then the content padded to whole words; empty content is padded to one word as well. */
function encodeBytes(value: Uint8Array): Uint8Array {
  const out = new Uint8Array(SLOT + Math.max(1, Math.ceil(value.length / SLOT)) * SLOT);
  out.set(encodeInt(BigInt(value.length)));
  out.set(value, SLOT);
  return out;
}

const bytes: AbiType = {
  name: "bytes",
  dynamic: true,
  decode: decodeBytes,
  encode: (value) => encodeBytes(value as Uint8Array),
};

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const string: AbiType = {
  name: "string",
  dynamic: true,
  decode: (data, offset) => decoder.decode(decodeBytes(data, offset)),
  encode: (value) => encodeBytes(utf8(value as string)),
};

function dynamicArray(element: AbiType): AbiType {
  return {
    name: `${element.name}[]`,
    dynamic: true,
    decode(data, offset) {
      if (data.length === 0) return [];
      const length = decodeInt32(data, offset);
      const start = offset + SLOT;
      requireRange(data, start, length, "array");
      return Array.from({ length }, (_, i) => {
        const head = start + i * SLOT;
        return element.decode(data, element.dynamic ? start + decodeInt32(data, head) : head);
      });
    },
    encode(value) {
      const items = value as readonly AbiValue[];
      const types = items.map(() => element);
      return concatBytes(encodeInt(BigInt(items.length)), encodeSequence(types, items));
    },
  };
}

/**
 * Offset in the head slot of a dynamic argument. Unlike other slots, it may be truncated or start exactly at the end;
 * missing bytes read as zeros, because the deployed client uses a different decoder for it.
 */
function decodeArgumentOffset(data: Uint8Array, head: number): number {
  requireRange(data, head, 0, "argument");
  const slot = new Uint8Array(SLOT);
  slot.set(data.subarray(head, head + SLOT));
  return decodeInt32(slot, 0);
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

/**
 * The type with a canonical name: `int…`, `uint…`, `bool`, `address`, `bytes…`, `string` and dynamic arrays of these.
 * Throws {@link AbiError} `INVALID_ABI` for any other name.
 */
export function abiType(name: string): AbiType {
  if (name.endsWith("[]")) return dynamicArray(abiType(name.slice(0, -2)));
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
 * Decodes the arguments of a call; `data` includes the selector, and the results may share its memory. Throws
 * {@link AbiError} `INVALID_ABI` if they are malformed.
 */
export function decodeArguments(definition: AbiFunction, data: Uint8Array): AbiValue[] {
  const args = data.subarray(4);
  return definition.inputs.map((type, i) => {
    const head = i * SLOT;
    return type.decode(args, type.dynamic ? decodeArgumentOffset(args, head) : head);
  });
}

/** Encodes values, one per type. */
export function encodeValues(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  return encodeSequence(types, values);
}
