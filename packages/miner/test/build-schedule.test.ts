import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BuildSchedule, type Purpose } from "../src/server/build-schedule.js";
import { ManualTimers } from "./support.js";

/** A schedule whose builds end when `end` is called; `builds` lists them as they begin. */
function scheduled() {
  const timers = new ManualTimers();
  const builds: { purpose: Purpose; signal: AbortSignal; end: () => void }[] = [];
  const build = (purpose: Purpose, signal: AbortSignal) =>
    new Promise<void>((end) => {
      builds.push({ purpose, signal, end });
    });
  const schedule = new BuildSchedule({ timers, build });
  const purposes = () => builds.map(({ purpose }) => purpose);
  const end = async () => {
    builds.at(-1)!.end();
    await nextTurn();
  };
  return { schedule, timers, builds, purposes, end };
}

describe("the schedule of builds", () => {
  it("builds immediately, and once for all requests until the build ends", async () => {
    const { schedule, purposes, end } = scheduled();
    schedule.refresh();
    schedule.refresh();
    schedule.refresh();
    assert.deepEqual(purposes(), ["refresh"]);
    await end();
    assert.deepEqual(purposes(), ["refresh", "refresh"]);
    await end();
    assert.equal(schedule.building, undefined);
    assert.equal(purposes().length, 2);
  });

  it("improves after a delay, unless a refresh comes first", async () => {
    const { schedule, timers, purposes, end } = scheduled();
    schedule.improveAfter(10);
    schedule.improveAfter(10);
    assert.equal(timers.count, 1);
    timers.run("once");
    assert.deepEqual(purposes(), ["improvement"]);
    schedule.improveAfter(10);
    schedule.refresh();
    assert.equal(timers.count, 0);
    await end();
    assert.deepEqual(purposes(), ["improvement", "refresh"]);
  });

  it("aborts a build for a new best block, and builds at the next turn, once for blocks that arrive together", async () => {
    const { schedule, builds, purposes, end } = scheduled();
    schedule.refresh();
    schedule.refreshOnBest();
    schedule.refreshOnBest();
    assert(builds[0]!.signal.aborted);
    builds[0]!.end();
    await schedule.due;
    assert.deepEqual(purposes(), ["refresh", "refresh"]);
    assert(!builds[1]!.signal.aborted);
    await end();
    assert.equal(purposes().length, 2);
  });

  it("forgets everything when stopped, and what was due if it is used again", async () => {
    const { schedule, timers, builds, purposes, end } = scheduled();
    schedule.refresh();
    schedule.improveAfter(10);
    schedule.stop();
    assert(builds[0]!.signal.aborted);
    assert.equal(timers.count, 0);
    await end();
    schedule.refreshOnBest();
    schedule.stop();
    schedule.refresh();
    await nextTurn();
    assert.deepEqual(purposes(), ["refresh", "refresh"]);
    await end();
    assert.equal(schedule.building, undefined);
    assert.equal(purposes().length, 2);
  });
});
