import { NETWORKS } from "@cambium/config";
import { concatBytes, fromHex } from "@cambium/primitives";
import { fuzz } from "@cambium/test-utils/fuzz";
import { verifyFallbackSignature } from "../src/fallback-signature.js";
import {
  buildParentBlock,
  checkTag,
  coinbaseId,
  decodeParentHeader,
  decodePartialTree,
  evaluatePartialTree,
  sha256d,
  splitCoinbase,
  stripWitness,
  verifyProofOfWork,
} from "../src/index.js";
import { checkParentTransactions } from "../src/parent-transaction.js";

const hash = sha256d(Uint8Array.of(1));
const others = Array.from({ length: 9 }, (_, i) => sha256d(Uint8Array.of(i)));
const request = { hashForMergedMining: hash, difficulty: 1n, time: 1, otherTransactionIds: others };
const compact = buildParentBlock(request);
const partial = buildParentBlock({ ...request, proofFormat: "partial" });

describe("merged-mining decoders under random and mutated bytes", () => {
  it("parent-chain headers", () =>
    fuzz([compact.parentChainHeader], (data) => {
      decodeParentHeader(data);
    }));

  it("transaction lists after a header", () => {
    const list = concatBytes(Uint8Array.of(2), compact.coinbase, compact.coinbase);
    fuzz([list], (data) => checkParentTransactions(data, 0));
  });

  it("coinbases with witness", () => {
    const witness = concatBytes(
      compact.coinbase.subarray(0, 4),
      fromHex("0001"),
      compact.coinbase.subarray(4, -4),
      fromHex("020311223300"),
      compact.coinbase.subarray(-4),
    );
    fuzz([witness, compact.coinbase], (data) => stripWitness(data));
  });

  it("compressed coinbases", () =>
    fuzz([compact.parentChainCoinbase], (data) => {
      const parts = splitCoinbase(data);
      coinbaseId(parts);
      checkTag(parts.tail, hash);
    }));

  it("partial Merkle trees", () => fuzz([partial.merkleProof], (data) => evaluatePartialTree(decodePartialTree(data))));

  it("fallback signatures", () =>
    fuzz([fromHex(`f8431ba0${"11".repeat(32)}a0${"22".repeat(32)}`)], (data) =>
      verifyFallbackSignature(data, hash, 1),
    ));

  it("the whole proof-of-work rule", () => {
    const rules = [
      { rskip92: true, rskip98: true, rskip180: true },
      { rskip92: false, rskip98: false, rskip180: false },
    ];
    let turn = 0;
    fuzz([compact.parentChainHeader, compact.merkleProof, compact.parentChainCoinbase, partial.merkleProof], (data) => {
      const proof = turn % 2 === 0 ? compact : partial;
      const field = (["parentChainHeader", "merkleProof", "parentChainCoinbase"] as const)[turn % 3]!;
      const input = { number: 1, difficulty: 1n, hashForMergedMining: hash, ...proof, [field]: data };
      verifyProofOfWork(input, rules[turn++ % 2]!, NETWORKS.main);
    });
  });
});
