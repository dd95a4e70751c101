import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SlicedWork } from "../src/subscriptions/sliced-work.js";

describe("sliced work", () => {
  /** Work in steps of two milliseconds, which are recorded. */
  function* steps(name: string, count: number, done: string[]): Generator<void> {
    for (let i = 0; i < count; i++) {
      const end = performance.now() + 2;
      while (performance.now() < end);
      done.push(`${name}${i}`);
      yield;
    }
  }

  it("is done at once if it is short", () => {
    const done: string[] = [];
    new SlicedWork().add(steps("a", 1, done));
    assert.deepEqual(done, ["a0"]);
  });

  it("leaves turns to others, and keeps its order", async () => {
    const done: string[] = [];
    const work = new SlicedWork();
    for (const name of ["a", "b"]) work.add(steps(name, 10, done));
    assert.ok(done.length < 10);
    let turns = 0;
    for (; done.length < 20; turns++) await nextTurn();
    assert.ok(turns > 2);
    const expected = ["a", "b"].flatMap((name) => Array.from({ length: 10 }, (_, i) => `${name}${i}`));
    assert.deepEqual(done, expected);
  });

  it("does at once what exceeds its capacity, and nothing after it is closed", async () => {
    const done: string[] = [];
    const work = new SlicedWork();
    for (let i = 0; i < 300; i++) work.add(steps(`${i} `, i === 0 ? 10 : 1, done));
    assert.ok(done.length >= 10 + 300 - 1 - 256);
    const before = done.length;
    work.close();
    await nextTurn();
    assert.equal(done.length, before);
  });
});
