import {
  bytesToBigint,
  decodeRlpList,
  equalBytes,
  fromHex,
  leftPad,
  RlpError,
  type RlpItem,
  SECP256K1_N,
  secp256k1,
  stripLeadingZeros,
} from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";

/** Public keys, 64 bytes each. */
export type FallbackKeys = readonly [even: Uint8Array, odd: Uint8Array];

/** Keys of the fallback miners: the first for even block numbers, the second for odd ones (`spec/03 §3.5`). */
export const FALLBACK_KEYS: FallbackKeys = [
  fromHex(
    "1e2b148c024770e19c4f31db2233cac791583df95b4d14a5e9fd4b38dc8254b3048f937f169446b19d2eca40db1dd93fab34c0cd8a310afd6e6211f9a89e4bca",
  ),
  fromHex(
    "b55031870df5de88bdb84f65bd1c6f8331c633e759caa5ac7cad3fa4f8a36791e995804bba1558ddcf330a67ff5bfa253fa1d8789735f97a97e849686527976e",
  ),
];

/**
 * Verifies the signature that replaces a parent-chain header before RSKIP-98 (`spec/03 §3.5`). Throws
 * {@link MergedMiningError} `FALLBACK_SIGNATURE` if it is invalid.
 */
export function verifyFallbackSignature(
  field: Uint8Array,
  hashForMergedMining: Uint8Array,
  blockNumber: number,
  keys: FallbackKeys = FALLBACK_KEYS,
): void {
  const items = readList(field);
  if (items.length !== 3) throw invalid(`${items.length} items`);
  const v = items[0]!.bytes;
  if (v.length !== 1 || v[0]! < 27 || v[0]! > 31) throw invalid("v");
  const r = scalar(items[1]!.bytes, "r");
  const s = scalar(items[2]!.bytes, "s");
  if (bytesToBigint(s) >= SECP256K1_N / 2n) throw invalid("s is not below half the order");
  const signature = new Uint8Array(64);
  signature.set(r, 0);
  signature.set(s, 32);
  // Recovery ids above 3 do not identify a point.
  const key = v[0]! > 30 ? undefined : secp256k1.recover(hashForMergedMining, signature, v[0]! - 27);
  if (key === undefined || !equalBytes(key, keys[blockNumber % 2 === 0 ? 0 : 1])) throw invalid("key");
}

function readList(field: Uint8Array): readonly RlpItem[] {
  try {
    return decodeRlpList(field);
  } catch (error) {
    if (error instanceof RlpError) throw invalid(error.message);
    throw error;
  }
}

/** The 32 bytes of a number in minimal signed form, with a leading zero byte exactly if the top bit is set. */
function scalar(bytes: Uint8Array, name: string): Uint8Array {
  const digits = stripLeadingZeros(bytes);
  const needsZero = digits.length === 0 || digits[0]! >= 0x80;
  if (bytes.length - digits.length !== (needsZero ? 1 : 0) || digits.length > 32) throw invalid(`form of ${name}`);
  return leftPad(digits, 32);
}

function invalid(reason: string): MergedMiningError {
  return new MergedMiningError({ code: "FALLBACK_SIGNATURE", reason });
}
