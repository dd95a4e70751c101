import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { processorClock } from "../src/index.js";

describe("the clock of processor time", () => {
  it("goes on while the thread works, and never faster than time", async () => {
    const used = processorClock();
    const start = { used: used(), elapsed: performance.now() };
    await sleep(20);
    for (let last = used(), changes = 0; changes < 3; ) {
      const now = used();
      assert(now >= last);
      if (now > last) changes++;
      last = now;
    }
    const [spent, elapsed] = [used() - start.used, performance.now() - start.elapsed];
    assert(spent > 0);
    // The system may account for a tick only when it ends.
    assert(spent <= elapsed + 20, `${spent} of ${elapsed} ms`);
  });
});
