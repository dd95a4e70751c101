import assert from "node:assert/strict";
import { isBetter } from "../../src/import/fork-choice.js";

const low = new Uint8Array(32).fill(1);
const high = new Uint8Array(32).fill(0xf0);

describe("fork choice", () => {
  it("follows total difficulty regardless of fees and hashes", () => {
    const best = { totalDifficulty: 10n, paidFees: 100n, hash: low };
    assert.equal(isBetter({ totalDifficulty: 11n, paidFees: 0n, hash: high }, best), true);
    assert.equal(isBetter({ totalDifficulty: 9n, paidFees: 1000n, hash: new Uint8Array(32) }, best), false);
  });

  // spec/02 §11.7: fees of the new block, of the best, whether the new hash is lower, answer
  const equal: [bigint, bigint, boolean, boolean][] = [
    [10n, 0n, false, true],
    [21n, 10n, false, true],
    [20n, 10n, true, true],
    [20n, 10n, false, false],
    [6n, 10n, true, true],
    [5n, 10n, true, false],
    [0n, 0n, true, false],
  ];
  for (const [fees, bestFees, lower, expected] of equal) {
    it(`at equal difficulty: fees ${fees} against ${bestFees}, ${lower ? "lower" : "higher"} hash`, () => {
      const candidate = { totalDifficulty: 7n, paidFees: fees, hash: lower ? low : high };
      const best = { totalDifficulty: 7n, paidFees: bestFees, hash: lower ? high : low };
      assert.equal(isBetter(candidate, best), expected);
    });
  }

  it("never prefers a block to itself", () => {
    for (const paidFees of [0n, 5n]) {
      const tip = { totalDifficulty: 7n, paidFees, hash: low };
      assert.equal(isBetter(tip, tip), false);
    }
  });
});
