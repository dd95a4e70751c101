import assert from "node:assert/strict";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { BuildingSignals } from "../../src/building/building-signals.js";
import { StuckWatch } from "../../src/building/stuck-watch.js";

function watched() {
  const signals = new BuildingSignals();
  const clock = new ManualClock();
  const events: string[] = [];
  const listeners = {
    onLate: () => events.push("late"),
    onStuck: (transaction: number) => events.push(`stuck in ${transaction}`),
  };
  return { signals, clock, events, watch: new StuckWatch(signals, listeners, clock) };
}

describe("the watch of a thread that builds", () => {
  it("reports a transaction that takes long, then one that does not end", () => {
    const { signals, clock, events, watch } = watched();
    watch.begin();
    signals.execute(7);
    clock.pass(250);
    assert.deepEqual([events, watch.isLate], [[], false]);
    clock.pass(100);
    assert.deepEqual([events, watch.isLate], [["late"], true]);
    clock.pass(2600);
    assert.deepEqual(events, ["late"]);
    clock.pass(100);
    assert.deepEqual(events, ["late", "stuck in 7"]);
  });

  it("reports none of many that end, even if the same one is executed again", () => {
    const { signals, clock, events, watch } = watched();
    watch.begin();
    for (let i = 0; i < 100; i++) {
      signals.execute(7);
      clock.pass(200);
      signals.execute(0);
    }
    clock.pass(10_000);
    assert.deepEqual(events, []);
  });

  it("is no longer late when the transaction ends", () => {
    const { signals, clock, watch } = watched();
    watch.begin();
    signals.execute(7);
    clock.pass(400);
    assert(watch.isLate);
    signals.execute(0);
    clock.pass(50);
    assert(!watch.isLate);
  });

  it("looks only while there are calls in flight", () => {
    const { clock, watch } = watched();
    watch.begin();
    watch.begin();
    watch.end();
    assert.equal(clock.pending, 1);
    watch.end();
    assert.equal(clock.pending, 0);
  });
});

describe("the signals of a thread that builds", () => {
  it("abandon builds up to a number", () => {
    const signals = new BuildingSignals();
    const isAbandoned = [1, 2, 3, Number.POSITIVE_INFINITY].map((build) => () => signals.isAbandoned(build));
    assert.deepEqual(
      isAbandoned.map((one) => one()),
      [false, false, false, false],
    );
    signals.abandon(2);
    assert.deepEqual(
      isAbandoned.map((one) => one()),
      [true, true, false, false],
    );
  });

  it("are seen through the same memory", () => {
    const signals = new BuildingSignals();
    const other = new BuildingSignals(signals.memory);
    other.execute(5);
    const first = signals.execution;
    other.execute(5);
    assert.deepEqual([first.transaction, signals.execution.transaction], [5, 5]);
    assert.notEqual(first.step, signals.execution.step);
  });
});
