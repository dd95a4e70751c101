import { NETWORKS } from "@cambium/config";
import { concatBytes, fromHex } from "@cambium/primitives";
import { assertSameBytes, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { verifyFallbackSignature } from "../../src/fallback-signature.js";
import {
  buildParentBlock,
  checkTag,
  coinbaseId,
  decodeParentHeader,
  decodePartialTree,
  evaluatePartialTree,
  MergedMiningError,
  sha256d,
  splitCoinbase,
  splitParentBlock,
  stripWitness,
  TAG,
  transactionId,
  verifyProofOfWork,
} from "../../src/index.js";
import { encodeParentHeader } from "../../src/parent-header.js";
import { checkParentTransactions } from "../../src/parent-transaction.js";

const HASH = sha256d(Uint8Array.of(1));
const otherTransactionIds = Array.from({ length: 9 }, (_, i) => sha256d(Uint8Array.of(i)));
const REQUEST = { hashForMergedMining: HASH, difficulty: 1n, time: 1, otherTransactionIds };
const COMPACT = buildParentBlock(REQUEST);
const PARTIAL = buildParentBlock({ ...REQUEST, proofFormat: "partial" });
const WITNESS = concatBytes(
  COMPACT.coinbase.subarray(0, 4),
  fromHex("0001"),
  COMPACT.coinbase.subarray(4, -4),
  fromHex("020311223300"),
  COMPACT.coinbase.subarray(-4),
);
const LIST = concatBytes(Uint8Array.of(2), COMPACT.coinbase, WITNESS);
const refusals = [MergedMiningError];
const words = [TAG, HASH];

/** Runs the rule with one of the three fields replaced by the input. */
function proofOfWork(field: "parentChainHeader" | "merkleProof" | "parentChainCoinbase", isNew: boolean): FuzzTarget {
  const rules = { rskip92: isNew, rskip98: isNew, rskip180: isNew };
  const proof = isNew ? COMPACT : PARTIAL;
  return decoding({
    seeds: () => [COMPACT[field], PARTIAL[field]],
    words,
    decode: (input) =>
      verifyProofOfWork(
        { number: 1, difficulty: 1n, hashForMergedMining: HASH, ...proof, [field]: input },
        rules,
        NETWORKS.main,
      ),
    refusals,
  });
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "parent-header": decoding({
    seeds: () => [COMPACT.parentChainHeader],
    decode: decodeParentHeader,
    refusals,
    check: (fields, input) => assertSameBytes(encodeParentHeader(fields), input.subarray(0, 80)),
  }),
  "parent-block": decoding({
    seeds: () => [concatBytes(COMPACT.parentChainHeader, LIST)],
    maxLength: 2_000_000,
    decode: splitParentBlock,
    refusals,
    check: ({ transactions }) => {
      for (const transaction of transactions) transactionId(stripWitness(transaction));
    },
  }),
  "parent-transactions": decoding({
    seeds: () => [LIST],
    decode: (input) => checkParentTransactions(input, 0),
    refusals,
  }),
  witness: decoding({
    seeds: () => [WITNESS, COMPACT.coinbase],
    decode: stripWitness,
    refusals,
    check: (stripped) => assertSameBytes(stripWitness(stripped), stripped),
  }),
  coinbase: decoding({
    seeds: () => [COMPACT.parentChainCoinbase],
    words,
    decode(input) {
      const parts = splitCoinbase(input);
      coinbaseId(parts);
      checkTag(parts.tail, HASH);
    },
    refusals,
  }),
  "partial-tree": decoding({
    seeds: () => [PARTIAL.merkleProof],
    maxLength: 600_000,
    decode: (input) => evaluatePartialTree(decodePartialTree(input)),
    refusals,
  }),
  "fallback-signature": decoding({
    seeds: () => [fromHex(`f8431ba0${"11".repeat(32)}a0${"22".repeat(32)}`)],
    decode: (input) => verifyFallbackSignature(input, HASH, 1),
    refusals,
  }),
  "proof-of-work-header": proofOfWork("parentChainHeader", false),
  "proof-of-work-header-compact": proofOfWork("parentChainHeader", true),
  "proof-of-work-coinbase": proofOfWork("parentChainCoinbase", true),
  "proof-of-work-coinbase-partial": proofOfWork("parentChainCoinbase", false),
  "proof-of-work-compact": proofOfWork("merkleProof", true),
  "proof-of-work-partial": proofOfWork("merkleProof", false),
};
