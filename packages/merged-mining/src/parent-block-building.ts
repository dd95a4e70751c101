import { concatBytes, fromHex } from "@cambium/primitives";
import { compressCoinbase, TAG } from "./coinbase.js";
import { MergedMiningError } from "./errors.js";
import { compactProof, merkleBranch } from "./merkle-proof.js";
import { encodeParentHeader, parentHeaderWork } from "./parent-header.js";
import { transactionId } from "./parent-transaction.js";
import { partialTreeOfBranch } from "./partial-merkle-tree.js";
import { proofOfWorkTarget } from "./target.js";

// Start of a coinbase: version 1, with one input that has no script and spends nothing (`spec/03 §8.5`).
const COINBASE_START = fromHex(`0100000001${"00".repeat(32)}ffffffff020000ffffffff`);
const LOCK_TIME = new Uint8Array(4);
/** Compact form of the easiest target; no rule checks it. */
const EASIEST_BITS = 0x207fffff;
const VERSION = 0x20000000;

/**
 * Returns the canonical coinbase for a merged-mining hash: 105 bytes, with one zero-value output that contains the tag
 * (`spec/03 §8.5`).
 */
export function taggedCoinbase(hashForMergedMining: Uint8Array): Uint8Array {
  const script = concatBytes(Uint8Array.of(0x6a, TAG.length + 32), TAG, hashForMergedMining);
  const output = concatBytes(new Uint8Array(8), Uint8Array.of(script.length), script);
  return concatBytes(COINBASE_START, Uint8Array.of(1), output, LOCK_TIME);
}

/** Returns a parent-chain header of the canonical form; only Merkle root, time and nonce vary. */
export function canonicalParentHeader(merkleRoot: Uint8Array, time: number, nonce: number): Uint8Array {
  const previousHash = new Uint8Array(32);
  return encodeParentHeader({ version: VERSION, previousHash, merkleRoot, time, bits: EASIEST_BITS, nonce });
}

/** Options of {@link buildParentBlock}. */
export interface ParentBlockRequest {
  hashForMergedMining: Uint8Array;
  difficulty: bigint;
  /** Timestamp in seconds. */
  time: number;
  /** Ids of the other transactions in internal order. */
  otherTransactionIds?: readonly Uint8Array[];
  /** Coinbase in legacy form with the tag; by default {@link taggedCoinbase}. */
  coinbase?: Uint8Array;
  /** Format of the Merkle proof: `partial` before RSKIP-92. */
  proofFormat?: "compact" | "partial";
  /** Maximum number of nonces to try; by default all. */
  maxAttempts?: number;
}

/** The three merged-mining fields of a solved header, and the full coinbase. */
export interface ParentBlockProof {
  parentChainHeader: Uint8Array;
  merkleProof: Uint8Array;
  parentChainCoinbase: Uint8Array;
  /** The whole coinbase, not compressed. */
  coinbase: Uint8Array;
}

/**
 * Builds a parent-chain block for a merged-mining hash and searches its nonce. For tests and the local miner, where
 * difficulties are low. Throws {@link MergedMiningError} `NOT_SOLVED` if no nonce is found.
 */
export function buildParentBlock(request: ParentBlockRequest): ParentBlockProof {
  const coinbase = request.coinbase ?? taggedCoinbase(request.hashForMergedMining);
  const ids = [transactionId(coinbase), ...(request.otherTransactionIds ?? [])];
  const { root, siblings } = merkleBranch(ids);
  const merkleProof =
    request.proofFormat === "partial"
      ? partialTreeOfBranch([ids[0]!, ...siblings], ids.length)
      : compactProof(siblings);
  const parentChainHeader = solve(canonicalParentHeader(root, request.time, 0), request);
  return { parentChainHeader, merkleProof, parentChainCoinbase: compressCoinbase(coinbase), coinbase };
}

function solve(header: Uint8Array, { difficulty, maxAttempts = 2 ** 32 }: ParentBlockRequest): Uint8Array {
  const target = proofOfWorkTarget(difficulty);
  const view = new DataView(header.buffer);
  for (let nonce = 0; nonce < maxAttempts; nonce++) {
    view.setUint32(76, nonce, true);
    if (parentHeaderWork(header) <= target) return header;
  }
  throw new MergedMiningError({ code: "NOT_SOLVED", attempts: maxAttempts });
}
