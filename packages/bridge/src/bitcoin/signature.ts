import {
  bigintToFixedBytes,
  bigintToTwosComplement,
  bytesToBigint,
  concatBytes,
  equalBytes,
  SECP256K1_N,
  secp256k1,
} from "@cambium/primitives";

// ECDSA signatures of the parent chain, as far as the bridge reads them: spec/06b-3 §8.

export interface EcdsaSignature {
  readonly r: bigint;
  readonly s: bigint;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const LONG_FORM = 0x80;
const MAX_LENGTH_BYTES = 4;
const SIGHASH_ALL = 1;
const SIGHASH_SINGLE = 3;
const ANYONE_CAN_PAY = 0x80;

interface Element {
  tag: number;
  content: Uint8Array;
  rest: Uint8Array;
}

/** The first DER element of some bytes; undefined when it is cut short or of indefinite length. */
function readElement(data: Uint8Array): Element | undefined {
  const [tag, first] = data;
  if (tag === undefined || first === undefined || first === LONG_FORM) return undefined;
  let start = 2;
  let length = first;
  if (first > LONG_FORM) {
    start += first - LONG_FORM;
    if (start - 2 > MAX_LENGTH_BYTES || start > data.length) return undefined;
    length = data.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  }
  if (start + length > data.length) return undefined;
  return { tag, content: data.subarray(start, start + length), rest: data.subarray(start + length) };
}

/** Magnitude of an integer, whose sign is not looked at; undefined when it has bytes it could do without. */
function readInteger(element: Element | undefined): bigint | undefined {
  if (element?.tag !== INTEGER || element.content.length === 0) return undefined;
  const [first, second] = element.content;
  const isRedundant = second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  return isRedundant ? undefined : bytesToBigint(element.content);
}

/** A sequence that begins with two integers; what follows is ignored. Undefined for anything else. */
export function decodeSignature(der: Uint8Array): EcdsaSignature | undefined {
  const sequence = readElement(der);
  if (sequence?.tag !== SEQUENCE) return undefined;
  const first = readElement(sequence.content);
  const r = readInteger(first);
  const s = first === undefined ? undefined : readInteger(readElement(first.rest));
  return r === undefined || s === undefined ? undefined : { r, s };
}

function derInteger(value: bigint): Uint8Array {
  const content = bigintToTwosComplement(value);
  return concatBytes(Uint8Array.of(INTEGER, content.length), content);
}

/** DER and the type ALL, as signatures stand in inputs. */
export function encodeInputSignature({ r, s }: EcdsaSignature): Uint8Array {
  const content = concatBytes(derInteger(r), derInteger(s));
  return concatBytes(Uint8Array.of(SEQUENCE, content.length), content, Uint8Array.of(SIGHASH_ALL));
}

/**
 * Whether bytes in an input are a signature in its strict form, a known type behind it (BIP-66, with the bound of 73 bytes
 * from before it).
 */
export function isCanonical(bytes: Uint8Array): boolean {
  const { length } = bytes;
  if (length < 9 || length > 73) return false;
  const type = bytes[length - 1]! & ~ANYONE_CAN_PAY;
  if (type < SIGHASH_ALL || type > SIGHASH_SINGLE || bytes[0] !== SEQUENCE || bytes[1] !== length - 3) return false;
  const r = bytes[3]!;
  if (5 + r >= length) return false;
  const s = bytes[5 + r]!;
  return r + s + 7 === length && isStrictInteger(bytes, 2, r) && isStrictInteger(bytes, 4 + r, s);
}

/** A positive integer without redundant bytes, from its tag on. */
function isStrictInteger(bytes: Uint8Array, at: number, length: number): boolean {
  const [first, second] = bytes.subarray(at + 2);
  if (bytes[at] !== INTEGER || length === 0 || first! >= 0x80) return false;
  return length === 1 || first !== 0 || second! >= 0x80;
}

/** Whether s is in the lower half, as the parent chain relays signatures. */
export function isLow({ s }: EcdsaSignature): boolean {
  return s <= SECP256K1_N / 2n;
}

/** Whether a signature of a hash fits a key (64 bytes): whether the key is among those that could have made it. */
export function fitsKey(hash: Uint8Array, { r, s }: EcdsaSignature, key: Uint8Array): boolean {
  if (r <= 0n || r >= SECP256K1_N || s <= 0n || s >= SECP256K1_N) return false;
  const signature = concatBytes(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32));
  return [0, 1, 2, 3].some((recovery) => {
    const candidate = secp256k1.recover(hash, signature, recovery);
    return candidate !== undefined && equalBytes(candidate, key);
  });
}
