import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { platformClock } from "../src/index.js";

describe("platform clock", () => {
  it("runs timers once or repeatedly, until they are cancelled", async () => {
    const seen: string[] = [];
    platformClock.after(1, () => seen.push("once"));
    platformClock.after(1, () => seen.push("never"))();
    const cancel = platformClock.every(2, () => seen.push("again"));
    await sleep(60);
    cancel();
    const count = seen.length;
    assert.equal(seen.filter((name) => name === "once").length, 1);
    assert(count > 3 && !seen.includes("never"));
    await sleep(10);
    assert.equal(seen.length, count);
  });
});
