import assert from "node:assert/strict";
import { concatBytes, equalBytes } from "@cambium/primitives";
import {
  MergedMiningError,
  PARENT_HEADER_LENGTH,
  splitParentBlock,
  stripWitness,
  taggedCoinbase,
} from "../src/index.js";

const header = new Uint8Array(PARENT_HEADER_LENGTH).fill(1);
const legacy = taggedCoinbase(new Uint8Array(32));
const segregated = concatBytes(
  legacy.subarray(0, 4),
  Uint8Array.of(0, 1),
  legacy.subarray(4, -4),
  Uint8Array.of(1, 2, 0xaa, 0xbb),
  legacy.subarray(-4),
);

function fails(block: Uint8Array): boolean {
  try {
    splitParentBlock(block);
    return false;
  } catch (error) {
    assert(error instanceof MergedMiningError);
    return true;
  }
}

describe("whole parent-chain blocks", () => {
  it("split into their parts, with and without witness", () => {
    const transactions = [legacy, segregated, legacy];
    const parts = splitParentBlock(concatBytes(header, Uint8Array.of(3), ...transactions));
    assert.deepEqual(parts.header, header);
    assert.deepEqual(parts.transactions, transactions);
    assert(parts.transactions.every((transaction) => equalBytes(stripWitness(transaction), legacy)));
  });

  it("may have counts of any length", () => {
    const many = new Array<Uint8Array>(300).fill(legacy);
    assert.equal(splitParentBlock(concatBytes(header, Uint8Array.of(253, 44, 1), ...many)).transactions.length, 300);
    assert.deepEqual(splitParentBlock(concatBytes(header, Uint8Array.of(0))).transactions, []);
  });

  it("are rejected if truncated, too long or with a wrong count", () => {
    const block = concatBytes(header, Uint8Array.of(2), legacy, segregated);
    for (let length = 0; length < block.length; length++) assert(fails(block.subarray(0, length)));
    assert(fails(concatBytes(block, Uint8Array.of(0))));
    assert(fails(concatBytes(header, Uint8Array.of(255, ...new Uint8Array(8).fill(0x7f)), legacy)));
  });
});
