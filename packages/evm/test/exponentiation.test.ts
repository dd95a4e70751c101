import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { runBare } from "./bare-frame.js";

const WORD = 1n << 256n;

/** base^exponent modulo 2^256 by squaring and multiplying. */
function expected(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % WORD;
    square = (square * square) % WORD;
  }
  return result;
}

const push = (value: bigint): string => `7f${value.toString(16).padStart(64, "0")}`;

describe("EXP", () => {
  it("agrees with squaring and multiplying", () => {
    const edges = [0n, 1n, 2n, 3n, 4n, 6n, 15n, 16n, 17n, 255n, 256n, 257n, WORD - 2n, WORD - 1n];
    const word = fc.oneof(fc.constantFrom(...edges), fc.bigInt(0n, 300n), fc.bigInt(0n, WORD - 1n));
    fc.assert(
      fc.property(word, word, (base, exponent) => {
        const { frame } = runBare(`${push(exponent)}${push(base)}0a5f5260205ff3`);
        assert.equal(BigInt(`0x${toHex(frame.output)}`), expected(base, exponent));
      }),
      { numRuns: runs(500) },
    );
  });
});
