import {
  bigintToFixedBytes,
  bigintToTwosComplement,
  bytesToBigint,
  concatBytes,
  equalBytes,
  SECP256K1_N,
  secp256k1,
} from "@cambium/primitives";
import { BridgeError } from "../errors.js";
import { type Asn1Element, readAsn1 } from "./asn1.js";

// ECDSA signatures of the parent chain as the bridge decodes them: spec/06b-3 §8.

export interface EcdsaSignature {
  readonly r: bigint;
  readonly s: bigint;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const SIGHASH_ALL = 1;
const SIGHASH_SINGLE = 3;
const ANYONE_CAN_PAY = 0x80;

/** Decodes a sequence that begins with two integers, ignoring their signs; undefined for anything else. */
export function decodeSignature(der: Uint8Array): EcdsaSignature | undefined {
  const [r, s] = sequenceElements(der);
  if (r?.content === undefined || s?.content === undefined) return undefined;
  return { r: bytesToBigint(r.content), s: bytesToBigint(s.content) };
}

function sequenceElements(der: Uint8Array): readonly Asn1Element[] {
  try {
    const { kind, elements } = readAsn1(der);
    return kind === "sequence" && elements !== undefined ? elements : [];
  } catch (error) {
    if (error instanceof BridgeError) return [];
    throw error;
  }
}

function derInteger(value: bigint): Uint8Array {
  const content = bigintToTwosComplement(value);
  return concatBytes(Uint8Array.of(INTEGER, content.length), content);
}

/** DER and the type ALL, the form of signatures in inputs. */
export function encodeInputSignature({ r, s }: EcdsaSignature): Uint8Array {
  const content = concatBytes(derInteger(r), derInteger(s));
  return concatBytes(Uint8Array.of(SEQUENCE, content.length), content, Uint8Array.of(SIGHASH_ALL));
}

/**
 * Whether bytes in an input are a strictly encoded signature followed by a known type (BIP-66, with the older limit of
 * 73 bytes).
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

/** Whether the bytes from the tag on are a positive integer without redundant bytes. */
function isStrictInteger(bytes: Uint8Array, at: number, length: number): boolean {
  const [first, second] = bytes.subarray(at + 2);
  if (bytes[at] !== INTEGER || length === 0 || first! >= 0x80) return false;
  return length === 1 || first !== 0 || second! >= 0x80;
}

/** Whether s is in the lower half of its range, as the parent chain requires for relay. */
export function isLow({ s }: EcdsaSignature): boolean {
  return s <= SECP256K1_N / 2n;
}

/** Whether a signature of a hash matches a 64-byte key: whether the key is one that can be recovered from it. */
export function matchesKey(hash: Uint8Array, { r, s }: EcdsaSignature, key: Uint8Array): boolean {
  if (r <= 0n || r >= SECP256K1_N || s <= 0n || s >= SECP256K1_N) return false;
  const signature = concatBytes(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32));
  return [0, 1, 2, 3].some((recovery) => {
    const candidate = secp256k1.recover(hash, signature, recovery);
    return candidate !== undefined && equalBytes(candidate, key);
  });
}
