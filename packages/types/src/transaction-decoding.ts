import { REWARD_ADDRESS } from "@cambium/config";
import { bytesToBigint, equalBytes, type RlpItem, stripLeadingZeros } from "@cambium/primitives";
import { type TransactionField, TypesError } from "./errors.js";

/** A decoded signature: r and s are unsigned without leading zeros, of any length. */
export interface TransactionSignature {
  /** Chain id; 0 for a legacy signature, otherwise the signed byte of `spec/01 §3.2`. */
  chainId: number;
  recovery: 0 | 1;
  r: Uint8Array;
  s: Uint8Array;
}

/** A decoded transaction: byte strings are raw if the encoding keeps them raw (`spec/01 §3.2`). */
export interface TransactionFields {
  /** Nonce as raw bytes; encodes as empty if it is empty or the single byte 00. */
  nonce: Uint8Array;
  /** Gas price; null and 0 both mean price 0, with different encodings. */
  gasPrice: bigint | null;
  /** Gas limit as raw bytes. */
  gasLimit: Uint8Array;
  /** Recipient, 20 bytes, or empty for a contract creation. */
  to: Uint8Array;
  value: bigint;
  data: Uint8Array;
  /** Signature; null if the transaction is unsigned. */
  signature: TransactionSignature | null;
  /** Chain id in the signing payload of an unsigned transaction under construction; 0 in a decoded one. */
  unsignedChainId: number;
  isReward: boolean;
}

/**
 * Decodes the nine items of a transaction (`spec/01 §3.2`). `isLast` marks the last transaction of a block: only that
 * can be the reward transaction. Throws {@link TypesError} if it is malformed.
 */
export function parseTransaction(items: readonly RlpItem[], isLast: boolean): TransactionFields {
  if (items.length !== 9) throw new TypesError({ code: "TRANSACTION_SIZE", expected: 9, actual: items.length });
  const to = items[3]!.bytes;
  if (to.length !== 0 && to.length !== 20) throw wrongTransaction("to", `${to.length} bytes`);
  const gasPrice = items[1]!.bytes;
  const fields: TransactionFields = {
    nonce: items[0]!.bytes,
    gasPrice: gasPrice.length === 0 ? null : bytesToBigint(gasPrice),
    gasLimit: items[2]!.bytes,
    to,
    value: bytesToBigint(items[4]!.bytes),
    data: items[5]!.bytes,
    signature: parseSignature(items[6]!.bytes, items[7]!.bytes, items[8]!.bytes),
    unsignedChainId: 0,
    isReward: false,
  };
  if (isLast) fields.isReward = isRewardTransaction(fields);
  return fields;
}

/** Parses a signature. r and s of an unsigned transaction are ignored and omitted on re-encoding. */
function parseSignature(v: Uint8Array, r: Uint8Array, s: Uint8Array): TransactionSignature | null {
  if (v.length === 0) return null;
  if (v.length !== 1) throw wrongTransaction("v", `${v.length} bytes`);
  if (r.length === 0) throw wrongTransaction("r", "empty in a signed transaction");
  if (s.length === 0) throw wrongTransaction("s", "empty in a signed transaction");
  return {
    chainId: chainIdOf(v[0]!),
    recovery: v[0]! % 2 === 0 ? 1 : 0,
    r: stripLeadingZeros(r),
    s: stripLeadingZeros(s),
  };
}

/** Returns the chain id of a v byte, 0 for 27 and 28. Division truncates toward zero. */
function chainIdOf(v: number): number {
  return v === 27 || v === 28 ? 0 : Math.trunc((v - 35) / 2) || 0;
}

/** Returns the v byte to encode. Decoded v of 34, 35 and 36 become those of legacy signatures. */
export function writeV(signature: TransactionSignature): number {
  if (signature.chainId === 0) return 27 + signature.recovery;
  return (signature.recovery + 35 + 2 * signature.chainId) & 0xff;
}

/**
 * Whether a transaction meets the conditions of `spec/01 §3.4` and `spec/05 §2.2`, except for the position. An empty
 * gas limit makes the whole block malformed.
 */
function isRewardTransaction(fields: TransactionFields): boolean {
  if (!equalBytes(fields.to, REWARD_ADDRESS) || fields.data.length !== 0) return false;
  if (fields.signature !== null || fields.value !== 0n) return false;
  if (fields.gasLimit.length === 0) throw wrongTransaction("gasLimit", "empty in a reward transaction");
  return fields.gasLimit.every((byte) => byte === 0) && (fields.gasPrice ?? 0n) === 0n;
}

export function wrongTransaction(field: TransactionField, reason: string): TypesError {
  return new TypesError({ code: "TRANSACTION_FIELD", field, reason });
}
