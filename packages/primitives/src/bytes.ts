import { CambiumError } from "./errors.js";

/** Malformed primitive input: hex, quantities and fixed-size byte strings. */
export class PrimitivesError extends CambiumError<
  | { code: "INVALID_HEX"; value: string }
  | { code: "INVALID_QUANTITY"; value: string }
  | { code: "INVALID_LENGTH"; what: string; expected: string; actual: number }
  | { code: "UNSAFE_INTEGER"; what: string; value: bigint }
> {}

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** A view of the same memory with Node's native methods (hex, compare, indexOf). Only for use within this package. */
export function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Returns a view of the same memory that is no `Buffer`. Node.js and native modules return buffers: their `slice`
 * shares memory, while that of an array copies.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Scratch memory for bytes that are converted to a string or a bigint. Short arrays are copied here. The engine keeps
 * them on its own heap, and a view of their memory would move them out, at several times the cost of a copy.
 */
const scratch = Buffer.alloc(64);
const scratchView = new DataView(scratch.buffer, scratch.byteOffset, scratch.length);

/** Lower-case hex without prefix, also used as the map key of hashes and addresses. */
export function toHex(bytes: Uint8Array): string {
  if (bytes.length > scratch.length) return view(bytes).toString("hex");
  scratch.set(bytes);
  return scratch.toString("hex", 0, bytes.length);
}

/** Lower-case hex with `0x`, the DATA form of JSON-RPC. */
export function toData(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

/**
 * Decodes an even-length hex string, with or without `0x`. Throws {@link PrimitivesError} `INVALID_HEX` if it is
 * malformed.
 */
export function fromHex(hex: string): Uint8Array {
  const start = hex.startsWith("0x") || hex.startsWith("0X") ? 2 : 0;
  const digits = start === 0 ? hex : hex.slice(start);
  const buffer = Buffer.from(digits, "hex");
  // Node.js reads the low byte of each character: U+0138 would pass for "8".
  const isAscii = Buffer.byteLength(digits) === digits.length;
  if (digits.length % 2 !== 0 || buffer.length * 2 !== digits.length || !isAscii) {
    throw new PrimitivesError({ code: "INVALID_HEX", value: hex.slice(0, 80) });
  }
  return plainBytes(buffer);
}

/** JSON-RPC QUANTITY: hex without leading zeros, `0x0` for zero; a negative value is written `-0x…`. */
export function toQuantity(value: bigint | number): string {
  return value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
}

/**
 * Parses a QUANTITY and tolerates leading zeros. Throws {@link PrimitivesError} `INVALID_QUANTITY` if it is malformed.
 */
export function fromQuantity(text: string): bigint {
  const negative = text.startsWith("-");
  const digits = negative ? text.slice(1) : text;
  if (!/^0x[0-9a-fA-F]+$/.test(digits))
    throw new PrimitivesError({ code: "INVALID_QUANTITY", value: text.slice(0, 80) });
  const value = BigInt(digits);
  return negative ? -value : value;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/** Concatenates any number of parts. {@link concatBytes} overflows the stack with a hundred thousand arguments. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/**
 * Copies the bytes from `start` on. A short copy stays on the engine's heap: it is cheaper than a view, and does not
 * keep the original alive.
 */
export function copyBytes(bytes: Uint8Array, start: number): Uint8Array {
  const out = new Uint8Array(bytes.length - start);
  if (out.length > 64) out.set(bytes.subarray(start));
  else for (let i = 0; i < out.length; i++) out[i] = bytes[start + i]!;
  return out;
}

/** Length from which native code compares faster, although it needs views. */
const LONG = 512;

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  if (a.length >= LONG) return view(a).equals(view(b));
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Unsigned lexicographic order: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return view(a).compare(b);
}

/** Last position of `needle` in `haystack`, or -1. */
export function lastIndexOfBytes(haystack: Uint8Array, needle: Uint8Array): number {
  return view(haystack).lastIndexOf(needle);
}

/** Maximum length at which every value is a safe integer. */
const SAFE_BYTES = 6;
const SAFE_BYTES_LIMIT = 1n << BigInt(8 * SAFE_BYTES);

const WORD_BYTES = 32;
const WORD_LIMIT = 1n << 256n;
const SIGNED_LIMIT = 1n << 255n;

/** Unsigned big-endian value; empty is zero. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  const { length } = bytes;
  // Fast path, because nonces, prices and gas limits are short.
  if (length <= SAFE_BYTES) return BigInt(shortValue(bytes));
  if (length > WORD_BYTES) return BigInt(`0x${toHex(bytes)}`);
  scratch.fill(0, 0, WORD_BYTES - length);
  scratch.set(bytes, WORD_BYTES - length);
  const low = scratchView.getBigUint64(24);
  if (length <= 8) return low;
  const lowHalf = (scratchView.getBigUint64(16) << 64n) | low;
  if (length <= 16) return lowHalf;
  return (((scratchView.getBigUint64(0) << 64n) | scratchView.getBigUint64(8)) << 128n) | lowHalf;
}

/** Writes a value of 0 to 2^256 - 1 to the first 32 bytes of the scratch memory. */
function writeWord(value: bigint): void {
  scratchView.setBigUint64(24, BigInt.asUintN(64, value));
  scratchView.setBigUint64(16, BigInt.asUintN(64, value >> 64n));
  scratchView.setBigUint64(8, BigInt.asUintN(64, value >> 128n));
  scratchView.setBigUint64(0, value >> 192n);
}

/** A copy of the word in the scratch memory, from `start` on. */
function wordFrom(start: number): Uint8Array {
  const out = new Uint8Array(WORD_BYTES - start);
  for (let i = start; i < WORD_BYTES; i++) out[i - start] = scratch[i]!;
  return out;
}

function shortValue(bytes: Uint8Array): number {
  let value = 0;
  for (let i = 0; i < bytes.length; i++) value = value * 256 + bytes[i]!;
  return value;
}

/** Unsigned big-endian value as a number. Throws {@link PrimitivesError} `UNSAFE_INTEGER` above 2^53 - 1. */
export function bytesToNumber(bytes: Uint8Array, what = "integer"): number {
  if (bytes.length <= SAFE_BYTES) return shortValue(bytes);
  return safeNumber(bytesToBigint(bytes), what);
}

export function safeNumber(value: bigint, what = "integer"): number {
  if (value > 9007199254740991n || value < -9007199254740991n) {
    throw new PrimitivesError({ code: "UNSAFE_INTEGER", what, value });
  }
  return Number(value);
}

/** Minimal unsigned big-endian form; zero is empty (`spec/01`, `min(n)`). */
export function bigintToBytes(value: bigint): Uint8Array {
  if (value >= 0n && value < SAFE_BYTES_LIMIT) return numberToBytes(Number(value));
  if (value > 0n && value < WORD_LIMIT) {
    writeWord(value);
    let start = 0;
    while (scratch[start] === 0) start++;
    return wordFrom(start);
  }
  const hex = value.toString(16);
  return fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
}

/** Like {@link bigintToBytes}, for safe integers. */
export function numberToBytes(value: number): Uint8Array {
  if (value === 0) return EMPTY_BYTES;
  let length = 1;
  for (let rest = value; rest >= 256; rest = Math.floor(rest / 256)) length++;
  const out = new Uint8Array(length);
  for (let i = length - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / 256)) out[i] = rest % 256;
  return out;
}

/** Big-endian, left-padded to `length` bytes; the value must fit. */
export function bigintToFixedBytes(value: bigint, length: number): Uint8Array {
  if (length === WORD_BYTES && value >= 0n && value < WORD_LIMIT) {
    writeWord(value);
    return wordFrom(0);
  }
  return fromHex(value.toString(16).padStart(length * 2, "0"));
}

/** Minimal two's-complement big-endian form (`spec/01`, `twos(n)`): 0 is `00`, 128 is `0080`, -1 is `ff`. */
export function bigintToTwosComplement(value: bigint): Uint8Array {
  if (value >= -SIGNED_LIMIT && value < SIGNED_LIMIT) return wordToTwosComplement(value);
  const magnitude = (value < 0n ? ~value : value).toString(16);
  const bits = (magnitude.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(magnitude[0]!, 16)));
  const length = Math.floor(bits / 8) + 1;
  return bigintToFixedBytes(BigInt.asUintN(length * 8, value), length);
}

/** Removes leading bytes that only repeat the sign bit of the next byte. */
function wordToTwosComplement(value: bigint): Uint8Array {
  writeWord(BigInt.asUintN(256, value));
  const fill = value < 0n ? 0xff : 0;
  let start = 0;
  while (start < WORD_BYTES - 1 && scratch[start] === fill && ((scratch[start + 1]! ^ fill) & 0x80) === 0) start++;
  return wordFrom(start);
}

/** Signed two's-complement big-endian value; empty is zero. */
export function twosComplementToBigint(bytes: Uint8Array): bigint {
  return BigInt.asIntN(bytes.length * 8, bytesToBigint(bytes));
}

/** The bytes without leading zeros, possibly empty; shares their memory. */
export function stripLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.subarray(start);
}

export function leftPad(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length >= length) return bytes;
  const out = new Uint8Array(length);
  out.set(bytes, length - bytes.length);
  return out;
}

export function reverseBytes(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes).reverse();
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
