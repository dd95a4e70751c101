import assert from "node:assert/strict";
import { OwnCounts, SharedCounts, sharedCountsMemory } from "../src/connections/connection-counts.js";

const ONE = "10.0.0.1";
const OTHER = "10.0.0.2";

describe("connection counts", () => {
  it("count the connections of a client, and all", () => {
    const counts = new OwnCounts();
    for (const client of [ONE, ONE, OTHER]) counts.add(client);
    assert.deepEqual([counts.total, counts.of(ONE), counts.of(OTHER)], [3, 2, 1]);
    counts.remove(ONE);
    counts.remove(OTHER);
    assert.deepEqual([counts.total, counts.of(ONE), counts.of(OTHER)], [1, 1, 0]);
  });

  it("are shared by threads, and lose those of one that ended", () => {
    const memory = sharedCountsMemory(2, 1);
    const [first, second] = [new SharedCounts(memory, 0), new SharedCounts(memory, 1)];
    first.add(ONE);
    second.add(ONE);
    second.add(OTHER);
    assert.deepEqual([first.total, first.of(ONE), first.of(OTHER)], [3, 2, 1]);
    second.clear();
    assert.deepEqual([first.total, first.of(ONE), first.of(OTHER)], [1, 1, 0]);
    first.remove(ONE);
    assert.deepEqual([second.total, second.of(ONE)], [0, 0]);
  });
});
