import { randomBytes } from "node:crypto";
import { canonicalParentHeader, merkleBranch, TAG, transactionId } from "@cambium/merged-mining";
import { concatBytes, fromHex, joinBytes } from "@cambium/primitives";
import { searchNonce } from "./nonce-search.js";

/** A parent-chain block as a mining pool builds it; hashes in internal order. */
export interface ParentBlock {
  /** 80 bytes. */
  header: Uint8Array;
  /** The first one is the coinbase, which contains the tag. */
  transactions: readonly Uint8Array[];
  ids: readonly Uint8Array[];
  /** Merkle branch of the coinbase, from the leaf level up. */
  siblings: readonly Uint8Array[];
}

const VERSION = fromHex("01000000");
const LOCK_TIME = new Uint8Array(4);
const NO_OUTPOINT = concatBytes(new Uint8Array(32), new Uint8Array(4).fill(0xff));
const SEQUENCE = new Uint8Array(4).fill(0xff);
const SUBSIDY = 50_00000000n;

/**
 * Builds a parent block for a merged-mining hash, with a number of other transactions, and searches its nonce. Rejects
 * as {@link searchNonce}.
 */
export async function mineParentBlock(
  hashForMergedMining: Uint8Array,
  target: bigint,
  otherTransactions: number,
  signal: AbortSignal,
  onProgress?: (attempts: number) => void,
): Promise<ParentBlock> {
  const others = Array.from({ length: otherTransactions }, randomTransaction);
  const transactions = [taggedCoinbase(hashForMergedMining), ...others];
  const ids = transactions.map(transactionId);
  const { root, siblings } = merkleBranch(ids);
  const unsolved = canonicalParentHeader(root, Math.floor(Date.now() / 1000), 0);
  return { header: await searchNonce(unsolved, target, signal, onProgress), transactions, ids, siblings };
}

/** Header, number of transactions, transactions. */
export function encodeParentBlock({ header, transactions }: ParentBlock): Uint8Array {
  return joinBytes([header, encodeCount(transactions.length), ...transactions]);
}

/**
 * A coinbase in the usual form: the payout first, and the tag in a separate output. Random input data makes each one
 * unique.
 */
function taggedCoinbase(hashForMergedMining: Uint8Array): Uint8Array {
  const tag = concatBytes(TAG, hashForMergedMining);
  const outputs = [payout(SUBSIDY), output(0n, concatBytes(Uint8Array.of(0x6a, tag.length), tag))];
  return transaction(concatBytes(NO_OUTPOINT, script(randomBytes(20)), SEQUENCE), outputs);
}

/** A random transaction in the form of a payment. */
export function randomTransaction(): Uint8Array {
  const outpoint = concatBytes(randomBytes(32), new Uint8Array(4));
  return transaction(concatBytes(outpoint, script(randomBytes(72)), SEQUENCE), [payout(100_000n)]);
}

function transaction(input: Uint8Array, outputs: readonly Uint8Array[]): Uint8Array {
  return joinBytes([VERSION, Uint8Array.of(1), input, Uint8Array.of(outputs.length), ...outputs, LOCK_TIME]);
}

function payout(value: bigint): Uint8Array {
  return output(value, concatBytes(fromHex("76a914"), randomBytes(20), fromHex("88ac")));
}

function output(value: bigint, lockingScript: Uint8Array): Uint8Array {
  const amount = new Uint8Array(8);
  new DataView(amount.buffer).setBigUint64(0, value, true);
  return concatBytes(amount, script(lockingScript));
}

function script(bytes: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(bytes.length), bytes);
}

/** A variable-length integer up to 65535. */
function encodeCount(count: number): Uint8Array {
  return count < 253 ? Uint8Array.of(count) : Uint8Array.of(253, count & 0xff, count >> 8);
}
