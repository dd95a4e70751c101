import assert from "node:assert/strict";
import { steadyTime } from "../src/index.js";

describe("steady time", () => {
  it("is near the system's time, and does not jump with it", () => {
    const systemTime = Date.now;
    const before = steadyTime();
    assert.ok(Math.abs(before - systemTime()) < 60_000);
    try {
      Date.now = () => 0;
      assert.ok(steadyTime() >= before);
      assert.ok(steadyTime() - before < 60_000);
    } finally {
      Date.now = systemTime;
    }
  });
});
