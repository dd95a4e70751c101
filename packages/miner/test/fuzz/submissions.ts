import assert from "node:assert/strict";
import { buildParentBlock, MergedMiningError, sha256d, TAG } from "@cambium/merged-mining";
import { concatBytes } from "@cambium/primitives";
import { type Decoding, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { MinerError } from "../../src/index.js";
import { ethSolution } from "../../src/solutions/eth-work.js";
import {
  type Solution,
  solutionOfBlock,
  solutionOfPartialMerkle,
  solutionOfTransactions,
} from "../../src/solutions/submission.js";

const HASH = sha256d(Uint8Array.of(1));
const IDS = [sha256d(Uint8Array.of(2)), sha256d(Uint8Array.of(3))];
const PARENT = buildParentBlock({ hashForMergedMining: HASH, difficulty: 1n, time: 1, otherTransactionIds: IDS });
const HEADER = PARENT.parentChainHeader.subarray(0, 80);
const SOLUTION = concatBytes(HEADER, Uint8Array.of(1), PARENT.coinbase);

function solving(options: Pick<Decoding<Solution | undefined>, "seeds" | "decode">): FuzzTarget {
  return decoding({
    ...options,
    words: [TAG, HASH],
    refusals: [MinerError],
    check(solution) {
      if (solution === undefined) return;
      assert.equal(solution.key.length, 32);
      assert.equal(solution.header.length, 80);
      for (const format of ["compact", "partial"] as const) {
        try {
          solution.proof(format);
        } catch (error) {
          if (!(error instanceof MergedMiningError)) throw error;
        }
      }
    },
  });
}

/** The bytes in parts of 32. */
function hashesOf(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / 32) }, (_, i) => bytes.subarray(32 * i, 32 * i + 32));
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "submit-block": solving({ seeds: () => [SOLUTION], decode: solutionOfBlock }),
  "submit-transactions": solving({
    seeds: () => [concatBytes(PARENT.coinbase)],
    decode: (coinbase) =>
      solutionOfTransactions({ header: HEADER, coinbase, transactionIds: hashesOf(coinbase.subarray(0, 96)) }),
  }),
  "submit-partial-merkle": solving({
    seeds: () => [concatBytes(PARENT.coinbase)],
    decode: (coinbase) =>
      solutionOfPartialMerkle({
        header: HEADER,
        coinbase,
        merkleHashes: hashesOf(coinbase.subarray(0, 96)),
        transactionCount: coinbase[0] ?? 0,
      }),
  }),
  "eth-submit": solving({
    seeds: () => [concatBytes(new Uint8Array(8), HASH, HASH)],
    decode: (input) => ethSolution(input.subarray(0, 8), input.subarray(8, 40), input.subarray(40, 72)),
  }),
};
