import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { ExecutionScheduler, type ListName, type Placement } from "../src/templates/execution-scheduler.js";

const ample = { parallel: 1_000_000n, sequential: 1_000_000n };

type OwnPlacement = { reads?: string[]; writes?: string[] } & Partial<Omit<Placement, "reads" | "writes">>;

function placement(sender: string, { reads = [], writes = [], ...rest }: OwnPlacement = {}): Placement {
  const keys = { reads: new Set(reads), writes: new Set(writes) };
  return { sender, ...keys, gasLimit: 100n, gasUsed: 100n, sequentialOnly: false, ...rest };
}

/** Ends of the non-empty parallel lists. */
function edges(lists: readonly (ListName | undefined)[]): number[] {
  const ends: number[] = [];
  let size = 0;
  for (const list of [0, 1]) {
    const own = lists.filter((name) => name === list).length;
    size += own;
    if (own > 0) ends.push(size);
  }
  return ends;
}

function place(...placements: Placement[]): (ListName | undefined)[] {
  const scheduler = new ExecutionScheduler(ample);
  return placements.map((each) => scheduler.place(each));
}

describe("execution scheduler", () => {
  // `spec/02 §11.5`
  it("separates readers of one key", () => {
    assert.deepEqual(edges(place(placement("a", { reads: ["k"] }), placement("b", { reads: ["k"] }))), [1, 2]);
  });

  it("keeps writers of one key together", () => {
    assert.deepEqual(edges(place(placement("a", { writes: ["k"] }), placement("b", { writes: ["k"] }))), [2]);
    assert.deepEqual(edges(place(placement("a", { writes: ["k"] }), placement("b", { reads: ["k"] }))), [2]);
    assert.deepEqual(edges(place(placement("a", { reads: ["k"] }), placement("b", { writes: ["k"] }))), [2]);
  });

  it("separates independent transactions", () => {
    assert.deepEqual(edges(place(placement("a", { writes: ["k"] }), placement("b", { writes: ["l"] }))), [1, 2]);
    assert.deepEqual(edges(place(placement("a"))), [1]);
  });

  it("puts a writer after readers in both lists into the sequential list", () => {
    const lists = place(
      placement("a", { reads: ["k"] }),
      placement("b", { reads: ["k"] }),
      placement("c", { writes: ["k"] }),
    );
    assert.deepEqual(lists, [0, 1, "sequential"]);
  });

  it("keeps dependents of a sequential transaction sequential", () => {
    const bridge = placement("a", { reads: ["r", "x"], writes: ["w"], sequentialOnly: true });
    const [first, ...others] = place(
      bridge,
      placement("b", { reads: ["w"] }),
      placement("c", { writes: ["r"] }),
      placement("d", { reads: ["x"] }),
      placement("a"),
    );
    assert.equal(first, "sequential");
    assert.deepEqual(others, ["sequential", "sequential", 0, "sequential"]);
  });

  it("keeps a sender in one list", () => {
    assert.deepEqual(place(placement("a"), placement("b"), placement("a"), placement("b")), [0, 1, 0, 1]);
  });

  it("fills the list with the least gas, then the sequential one, then rejects", () => {
    const scheduler = new ExecutionScheduler({ parallel: 250n, sequential: 150n });
    const lists = ["a", "b", "c", "d", "e", "f", "g"].map((sender) => scheduler.place(placement(sender)));
    assert.deepEqual(lists, [0, 1, 0, 1, "sequential", undefined, undefined]);
    assert.equal(scheduler.room, 50n);
  });

  it("counts the gas used, and reserves the gas limit", () => {
    const scheduler = new ExecutionScheduler({ parallel: 0n, sequential: 100n });
    assert.equal(scheduler.place(placement("a", { gasLimit: 100n, gasUsed: 10n })), "sequential");
    assert.equal(scheduler.place(placement("b", { gasLimit: 91n, gasUsed: 10n })), undefined);
    assert.equal(scheduler.place(placement("b", { gasLimit: 90n, gasUsed: 10n })), "sequential");
  });

  it("never shares a written key between parallel lists, and preserves the order of dependent transactions", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const keys = fc.uniqueArray(key, { maxLength: 2 });
    const one = fc.record({ sender: key, reads: keys, writes: keys, sequentialOnly: fc.boolean() });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), (all) => {
        const placements = all.map(({ sender, ...own }) =>
          placement(sender, { ...own, writes: [...own.writes, sender] }),
        );
        const lists = place(...placements);
        for (const [j, later] of placements.entries()) {
          for (const [i, earlier] of placements.slice(0, j).entries()) {
            if (!meet(earlier, later) || lists[i] === lists[j]) continue;
            // in different lists, the later one must be in the sequential list, which runs last
            assert.equal(lists[j], "sequential");
          }
        }
      }),
    );
  });
});

function meet(a: Placement, b: Placement): boolean {
  const touches = (keys: ReadonlySet<string>, other: Placement) =>
    [...keys].some((key) => other.writes.has(key) || other.reads.has(key));
  return touches(a.writes, b) || touches(b.writes, a);
}
