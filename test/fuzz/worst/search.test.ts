import assert from "node:assert/strict";
import { runs } from "@cambium/test-utils/depth";
import { SEED } from "@cambium/test-utils/seed";
import { Machine } from "../../bench/worst-blocks/machine.js";
import { surroundings } from "../../bench/worst-blocks/surroundings.js";
import { RandomSource } from "../random-source.js";
import { Search } from "./search.js";

/** Number of programs to try. */
const STEPS = runs(60);

describe("the search for worst programs", () => {
  it(`executes what it makes up, and ranks it by processor time: ${STEPS} programs, SEED=${SEED}`, async () => {
    const search = new Search(await Machine.open(surroundings()), new RandomSource(SEED));
    for (let i = 0; i < STEPS; i++) search.step();
    const ranking = search.ranking();
    const times = ranking.map(({ milliseconds }) => milliseconds);
    assert.ok(search.count >= STEPS);
    assert.equal(new Set(ranking.map(({ kind }) => kind)).size, ranking.length);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
  });
});
