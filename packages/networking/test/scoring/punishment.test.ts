import assert from "node:assert/strict";
import { ADDRESS_PUNISHMENT, NODE_PUNISHMENT, punishmentDuration } from "../../src/scoring/punishment.js";

describe("duration of punishments", () => {
  const rule = (maximum: number) => ({ first: 100, increment: 10, maximum });

  for (const [maximum, count, score, expected] of [
    [1000, 0, 0, 100],
    [1000, 0, -2, 200],
    [1000, 1, 0, 110],
    [1000, 2, 0, 121],
    [1000, 2, -2, 242],
    [120, 2, 0, 120],
    [0, 2, 0, 121],
  ] as const) {
    it(`is ${expected} after ${count} with score ${score} and limit ${maximum}`, () => {
      assert.equal(punishmentDuration(rule(maximum), count, score), expected);
    });
  }

  it("starts at 12 minutes and grows by a tenth, rounded down each time", () => {
    const after = (count: number) => punishmentDuration(NODE_PUNISHMENT, count, 0);
    assert.deepEqual([0, 1, 2, 10].map(after), [720_000, 792_000, 871_200, 1_867_492]);
  });

  it("stops growing for addresses at 6000 minutes", () => {
    const after = (count: number) => punishmentDuration(ADDRESS_PUNISHMENT, count, 0);
    assert.deepEqual([65, 66, 1_000_000].map(after), [353_065_771, 360_000_000, 360_000_000]);
    assert.equal(punishmentDuration(ADDRESS_PUNISHMENT, 0, -1_000_000), 360_000_000);
  });

  it("stays a safe integer for nodes", () => {
    for (const [count, score] of [
      [0, -(2 ** 31)],
      [300, 0],
      [1_000_000_000, -5],
    ] as const) {
      const duration = punishmentDuration(NODE_PUNISHMENT, count, score);
      assert.ok(Number.isSafeInteger(Date.now() + duration) && duration > 1e9);
    }
  });
});
