import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { platformClock } from "../src/index.js";

describe("platform clock", () => {
  it("runs timers once or repeatedly, until they are cancelled", async () => {
    const seen: string[] = [];
    platformClock.after(1, () => seen.push("once"));
    platformClock.after(1, () => seen.push("never"))();
    const cancel = platformClock.every(2, () => seen.push("again"));
    const counts = (name: string) => seen.filter((one) => one === name).length;
    while (counts("once") === 0 || counts("again") < 3) await sleep(1);
    cancel();
    const count = seen.length;
    assert.deepEqual([counts("once"), counts("never")], [1, 0]);
    await sleep(10);
    assert.equal(seen.length, count);
  });
});
