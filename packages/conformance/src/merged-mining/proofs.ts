import { main } from "@cambium/config";
import {
  coinbaseId,
  combineNodes,
  compactProof,
  compactProofRoot,
  compressCoinbase,
  decodePartialTree,
  evaluatePartialTree,
  MergedMiningError,
  merkleBranch,
  partialTreeOfBranch,
  splitCoinbase,
  stripWitness,
  TAG,
  taggedHash,
  transactionId,
  verifyProofOfWork,
} from "@cambium/merged-mining";
import { fromHex, lastIndexOfBytes, reverseBytes, toHex } from "@cambium/primitives";
import type { CaseResult } from "../interface.js";
import { bytesOrNull, expectEqual, runCase, type VectorRules } from "./checks.js";

/** Transaction ids and both proofs of the first one; internal order but for the compact proof. */
export interface MerkleVector {
  n: number;
  txIdsInternal: readonly string[];
  rootInternal: string;
  partialMerkleTree: string;
  compactProof: string;
}

export function* runMerkleProofs(cases: readonly MerkleVector[]): Iterable<CaseResult> {
  for (const vector of cases) yield runCase(`tree of ${vector.n}`, () => checkMerkleProofs(vector));
}

/** Builds both proofs and evaluates the vector's. */
export function checkMerkleProofs(vector: Omit<MerkleVector, "n">): void {
  const ids = vector.txIdsInternal.map(fromHex);
  const { root, siblings } = merkleBranch(ids);
  expectEqual("root", root, vector.rootInternal);
  expectEqual("compact proof", compactProof(siblings), vector.compactProof);
  expectEqual("partial tree", partialTreeOfBranch([ids[0]!, ...siblings], ids.length), vector.partialMerkleTree);
  expectEqual("root of compact proof", compactProofRoot(ids[0]!, fromHex(vector.compactProof)), vector.rootInternal);
  const proven = evaluatePartialTree(decodePartialTree(fromHex(vector.partialMerkleTree)));
  expectEqual("root of partial tree", proven.root, vector.rootInternal);
  expectEqual("matched leaves", proven.matched.map(toHex), [vector.txIdsInternal[0]]);
}

/** A coinbase of the real parent chain. */
export interface CoinbaseVector {
  witnessSerialization: string;
  stripped: string;
  txid: string;
  compressedFromStripped: string;
  tagOffset: number;
  hashForMergedMining: string;
  txidFromCompressed: string;
}

export function* runCoinbases(cases: readonly CoinbaseVector[]): Iterable<CaseResult> {
  for (const vector of cases) {
    yield runCase(`coinbase ${vector.txid}`, () => {
      const stripped = stripWitness(fromHex(vector.witnessSerialization));
      expectEqual("stripped", stripped, vector.stripped);
      expectEqual("stripped twice", stripWitness(stripped), vector.stripped);
      expectEqual("id", reverseBytes(transactionId(stripped)), vector.txid);
      expectEqual("tag offset", lastIndexOfBytes(stripped, TAG), vector.tagOffset);
      const compressed = compressCoinbase(stripped);
      expectEqual("compressed", compressed, vector.compressedFromStripped);
      expectEqual("tagged hash", taggedHash(compressed), vector.hashForMergedMining);
      expectEqual("id from compressed", reverseBytes(coinbaseId(splitCoinbase(compressed))), vector.txidFromCompressed);
    });
  }
}

/** Node combinations (display order) and serialised partial trees. */
export interface MerkleUtilsFile {
  combine?: readonly { left: string; right: string; parent: string }[];
  pmt?: readonly {
    serialized: string;
    hashesCount?: number;
    flagBytesCount?: number;
    hasExpectedSize: boolean;
    rootInternal?: string;
    matchedInternal?: readonly string[];
  }[];
}

export function* runMerkleUtils(file: MerkleUtilsFile): Iterable<CaseResult> {
  for (const { left, right, parent } of file.combine ?? []) {
    yield runCase(`combine to ${parent}`, () => {
      const combined = combineNodes(reverseBytes(fromHex(left)), reverseBytes(fromHex(right)));
      expectEqual("parent", reverseBytes(combined), parent);
    });
  }
  for (const [i, vector] of (file.pmt ?? []).entries()) {
    yield runCase(`partial tree ${i}`, () => {
      const tree = decodeOrUndefined(fromHex(vector.serialized));
      expectEqual("has the declared size", tree !== undefined, vector.hasExpectedSize);
      if (tree === undefined) return;
      expectEqual("hashes", tree.hashes.length, vector.hashesCount);
      expectEqual("flag bytes", tree.flags.length, vector.flagBytesCount);
      const { root, matched } = evaluatePartialTree(tree);
      expectEqual("root", root, vector.rootInternal);
      expectEqual("matched", matched.map(toHex), vector.matchedInternal);
    });
  }
}

function decodeOrUndefined(data: Uint8Array): ReturnType<typeof decodePartialTree> | undefined {
  try {
    return decodePartialTree(data);
  } catch (error) {
    if (error instanceof MergedMiningError) return undefined;
    throw error;
  }
}

/** One application of the proof-of-work rule. */
export interface ProofOfWorkVector {
  name: string;
  valid: boolean;
  reason: string;
  rules: VectorRules;
  number?: number;
  hashForMergedMining: string;
  difficulty: string;
  parentChainHeader?: string | null;
  coinbase?: string | null;
  merkleProof?: string | null;
}

/** This node's code for each reason in the vectors; other reasons are compared only as "rejected". */
const CODES: Readonly<Record<string, MergedMiningError["code"]>> = {
  "hash above target": "TARGET",
  "header size": "PARENT_HEADER_SIZE",
  "proof format": "PROOF_FORMAT",
  "proof too long": "PROOF_TOO_LONG",
  "bad merkle": "MERKLE_ROOT",
  "tag not found": "TAG_NOT_FOUND",
  "not last tag": "TAG_NOT_LAST",
  "tag too far": "TAG_TOO_FAR",
  "too many bytes after": "TAG_TRAILING_BYTES",
  "coinbase too short": "COINBASE_TOO_SHORT",
  "exception: overflow bits": "PROOF_FORMAT",
  "pmt size": "PROOF_FORMAT",
  "leaf not in matched": "COINBASE_NOT_PROVEN",
};

export function* runProofOfWorkCases(cases: readonly ProofOfWorkVector[]): Iterable<CaseResult> {
  for (const vector of cases) {
    yield runCase(vector.name, () => {
      const rejection = proofOfWorkRejection(vector);
      expectEqual("valid", rejection === undefined, vector.valid);
      if (!vector.valid) expectEqual("reason", rejection, CODES[vector.reason]);
    });
  }
}

function proofOfWorkRejection(vector: ProofOfWorkVector): string | undefined {
  const input = {
    number: vector.number ?? 1,
    difficulty: BigInt(vector.difficulty),
    hashForMergedMining: fromHex(vector.hashForMergedMining),
    parentChainHeader: bytesOrNull(vector.parentChainHeader),
    merkleProof: bytesOrNull(vector.merkleProof),
    parentChainCoinbase: bytesOrNull(vector.coinbase),
  };
  const { RSKIP92, RSKIP98, RSKIP180 } = vector.rules;
  const rules = { rskip92: RSKIP92 === true, rskip98: RSKIP98 === true, rskip180: RSKIP180 === true };
  try {
    verifyProofOfWork(input, rules, main);
    return undefined;
  } catch (error) {
    if (error instanceof MergedMiningError) return error.code;
    throw error;
  }
}
