import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { recordedBlocks } from "@cambium/test-utils/chains/chain-vectors";
import { Block } from "@cambium/types";
import { weightOf } from "../../src/work-verification/header-weight.js";

describe("the weight of headers", () => {
  const blocks = recordedBlocks("rewards").map((encoded) => Block.decode(encoded, NETWORKS.local));
  const headers = blocks.map(({ header }) => header);

  it("bounds what blocks with uncles add to the total difficulty", () => {
    for (const block of blocks.slice(7)) {
      const below = headers.slice(block.number - 8, block.number);
      const { least, most } = weightOf(below, block.number, NETWORKS.local);
      const actual = block.cumulativeDifficulty;
      assert(least <= actual && actual <= most, `block ${block.number}: ${least} ≤ ${actual} ≤ ${most}`);
      if (block.uncles.length === 0) assert.equal(least, most);
      else assert(least > block.header.difficultyValue);
    }
  });

  it("adds up over a run, which may begin lower", () => {
    const each = headers.slice(20).map(({ number }) => weightOf(headers.slice(0, number), number, NETWORKS.local));
    const sum = (bound: "least" | "most") => each.reduce((total, weight) => total + weight[bound], 0n);
    assert.deepEqual(weightOf(headers, 21, NETWORKS.local), { least: sum("least"), most: sum("most") });
  });
});
