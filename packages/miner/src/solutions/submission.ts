import {
  compactProof,
  compressCoinbase,
  MergedMiningError,
  merkleBranch,
  PARENT_HEADER_LENGTH,
  partialTreeOfBranch,
  splitParentBlock,
  stripWitness,
  TAG,
  taggedHash,
  transactionId,
} from "@cambium/merged-mining";
import { lastIndexOfBytes, reverseBytes } from "@cambium/primitives";
import { MinerError } from "../errors.js";
import type { PartialMerkleSubmission, TransactionsSubmission } from "../interface.js";

/** A parent-chain block that may solve a template, independent of the submission method (`spec/03 §7.3`). */
export interface Solution {
  /** Hash for merged mining from the coinbase; identifies the template. */
  key: Uint8Array;
  /** 80 bytes. */
  header: Uint8Array;
  /** Coinbase in the form of block headers. */
  compressedCoinbase: Uint8Array;
  /** Returns the proof in the form of RSKIP-92, or as a partial tree before it. */
  proof(format: "compact" | "partial"): Uint8Array;
}

const HASH = 32;

/** Decodes a complete parent-chain block. Throws {@link MinerError} `MALFORMED`. */
export function solutionOfBlock(block: Uint8Array): Solution {
  const { header, transactions } = reading("block", () => splitParentBlock(block));
  const [coinbase] = transactions;
  if (coinbase === undefined) throw malformed("block", "no transactions");
  const ids = transactions.map((transaction) => transactionId(stripWitness(transaction)));
  return solution(header, coinbase, (format) => proofOfIds(ids, format));
}

/** Decodes header, coinbase and ids. Throws {@link MinerError} `MALFORMED`. */
export function solutionOfTransactions({ header, coinbase, transactionIds }: TransactionsSubmission): Solution {
  checkHashes("transaction ids", transactionIds);
  if (transactionIds.length === 0) throw malformed("transaction ids", "expected at least one");
  const ids = transactionIds.map(reverseBytes);
  return solution(header, coinbase, (format) => proofOfIds(ids, format));
}

/** Decodes header, coinbase and branch. Throws {@link MinerError} `MALFORMED` or `MERKLE_HASHES_EMPTY`. */
export function solutionOfPartialMerkle(submission: PartialMerkleSubmission): Solution {
  const { header, coinbase, merkleHashes, transactionCount } = submission;
  if (merkleHashes.length === 0) throw new MinerError({ code: "MERKLE_HASHES_EMPTY" });
  checkHashes("merkle hashes", merkleHashes);
  return solution(header, coinbase, (format) =>
    format === "compact" ? compactProof(merkleHashes.slice(1)) : partialTreeOfBranch(merkleHashes, transactionCount),
  );
}

/** Returns a solution whose parent block has only a coinbase in legacy form. */
export function solutionOfCoinbase(header: Uint8Array, coinbase: Uint8Array): Solution {
  return solution(header, coinbase, (format) =>
    // A compact proof consists of the siblings; a single transaction has none.
    format === "compact" ? compactProof([]) : proofOfIds([transactionId(coinbase)], format),
  );
}

/**
 * Removes the witness of the coinbase, with which no proof is valid. The deployed client rejects such blocks; this node
 * accepts them (`spec/03 §7.3`).
 */
function solution(header: Uint8Array, coinbase: Uint8Array, proof: Solution["proof"]): Solution {
  if (header.length < PARENT_HEADER_LENGTH)
    throw malformed("header", `${header.length} bytes, expected at least ${PARENT_HEADER_LENGTH}`);
  const legacy = reading("coinbase", () => stripWitness(coinbase));
  return {
    key: carriedHash(legacy),
    header: header.slice(0, PARENT_HEADER_LENGTH),
    compressedCoinbase: compressCoinbase(legacy),
    proof,
  };
}

/**
 * Returns the hash after the tag. If there is no tag, the deployed client assumes position -1, and finds no template
 * for that hash.
 */
function carriedHash(coinbase: Uint8Array): Uint8Array {
  const tagged = taggedHash(coinbase);
  if (tagged !== undefined) return tagged;
  const isTagged = lastIndexOfBytes(coinbase, TAG) >= 0;
  const start = TAG.length - 1;
  if (isTagged || coinbase.length < start + HASH)
    throw malformed("coinbase", "no 32-byte hash after the merged-mining tag");
  return coinbase.slice(start, start + HASH);
}

function proofOfIds(ids: readonly Uint8Array[], format: "compact" | "partial"): Uint8Array {
  const { siblings } = merkleBranch(ids);
  return format === "compact" ? compactProof(siblings) : partialTreeOfBranch([ids[0]!, ...siblings], ids.length);
}

function checkHashes(what: string, hashes: readonly Uint8Array[]): void {
  const wrong = hashes.find((hash) => hash.length !== HASH);
  if (wrong !== undefined) throw malformed(what, `${wrong.length} bytes, expected ${HASH}`);
}

function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MergedMiningError) throw malformed(what, error.message);
    throw error;
  }
}

function malformed(what: string, reason: string): MinerError {
  return new MinerError({ code: "MALFORMED", what, reason });
}
