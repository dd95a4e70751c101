import { concatBytes, lastIndexOfBytes, utf8 } from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";
import {
  compressBlock,
  finishSha256,
  initialState,
  SHA256_BLOCK,
  sha256,
  stateFromBytes,
  stateToBytes,
} from "./sha256.js";

/** Prefix of the merged-mining hash in a parent-chain coinbase. */
export const TAG: Uint8Array = utf8("RSKBLOCK:");
const HASH = 32;
/** Length of the byte count and chaining value before the tail (`spec/03 §3.3`). */
const STATE = 40;
const MAX_TAG_POSITION = 64;
const MAX_TRAILING = 128;
/** A transaction of exactly 64 bytes could be an inner node of the Merkle tree. */
const MIN_LENGTH = 64n;

/**
 * Compresses a coinbase for a header: whole SHA-256 blocks before the last tag are replaced by the chaining value.
 * `transaction` is the legacy form, without witness. Without a tag, no blocks are removed.
 */
export function compressCoinbase(transaction: Uint8Array): Uint8Array {
  const tag = lastIndexOfBytes(transaction, TAG);
  const hashed = tag < 0 ? 0 : tag - (tag % SHA256_BLOCK);
  const state = initialState();
  for (let offset = 0; offset < hashed; offset += SHA256_BLOCK) compressBlock(state, transaction, offset);
  const head = new Uint8Array(STATE);
  new DataView(head.buffer).setBigUint64(0, BigInt(hashed));
  head.set(stateToBytes(state), 8);
  return concatBytes(head, transaction.subarray(hashed));
}

/** Parts of a compressed coinbase. */
export interface CompressedCoinbase {
  /** Number of bytes already hashed, as declared: an unsigned 64-bit number that need not be true. */
  byteCount: bigint;
  midstate: Uint8Array;
  tail: Uint8Array;
}

/** Splits a compressed coinbase. Throws {@link MergedMiningError} `COINBASE_SIZE` if there are fewer than 40 bytes. */
export function splitCoinbase(compressed: Uint8Array): CompressedCoinbase {
  if (compressed.length < STATE) throw new MergedMiningError({ code: "COINBASE_SIZE", actual: compressed.length });
  return {
    byteCount: new DataView(compressed.buffer, compressed.byteOffset).getBigUint64(0),
    midstate: compressed.subarray(8, STATE),
    tail: compressed.subarray(STATE),
  };
}

/**
 * Returns the id of the coinbase transaction in internal order: SHA-256 continued from the declared state. Throws
 * {@link MergedMiningError} `COINBASE_SIZE`, or `COINBASE_TOO_SHORT` if the declared length is 64 bytes or less.
 */
export function coinbaseId({ byteCount, midstate, tail }: CompressedCoinbase): Uint8Array {
  const length = byteCount + BigInt(tail.length);
  const declared = BigInt.asIntN(64, length);
  if (declared <= MIN_LENGTH) throw new MergedMiningError({ code: "COINBASE_TOO_SHORT", declared });
  return sha256(finishSha256(stateFromBytes(midstate), tail, length));
}

/**
 * Checks the tag (`spec/03 §3.4`): the correct hash follows the last tag, close to the start of the tail and not too
 * far from its end. Throws {@link MergedMiningError} `TAG_…` with the check that failed.
 */
export function checkTag(tail: Uint8Array, hashForMergedMining: Uint8Array): void {
  const position = lastIndexOfBytes(tail, concatBytes(TAG, hashForMergedMining));
  if (position < 0) throw new MergedMiningError({ code: "TAG_NOT_FOUND" });
  if (position >= MAX_TAG_POSITION) throw new MergedMiningError({ code: "TAG_TOO_FAR", position });
  const last = lastIndexOfBytes(tail, TAG);
  if (last !== position) throw new MergedMiningError({ code: "TAG_NOT_LAST", position, last });
  const actual = tail.length - position - TAG.length - HASH;
  if (actual > MAX_TRAILING) {
    throw new MergedMiningError({ code: "TAG_TRAILING_BYTES", maximum: MAX_TRAILING, actual });
  }
}

/** Returns the 32 bytes after the last tag of a coinbase, compressed or not; undefined if there are none. */
export function taggedHash(coinbase: Uint8Array): Uint8Array | undefined {
  const position = lastIndexOfBytes(coinbase, TAG);
  const start = position + TAG.length;
  return position < 0 || start + HASH > coinbase.length ? undefined : coinbase.slice(start, start + HASH);
}
