import assert from "node:assert/strict";
import { canonicalParentHeader, MergedMiningError, parentHeaderWork } from "@cambium/merged-mining";
import { searchNonce } from "../src/index.js";

const header = canonicalParentHeader(new Uint8Array(32).fill(3), 1_700_000_000, 0);

describe("nonce search", () => {
  it("finds a nonce without modifying its input", async () => {
    const before = header.slice();
    const target = 1n << 240n;
    const solved = await searchNonce(header, target);
    assert(parentHeaderWork(solved) <= target);
    assert.deepEqual(solved.subarray(0, 76), before.subarray(0, 76));
    assert.deepEqual(header, before);
  });

  it("yields to the event loop, and can be aborted", async () => {
    const controller = new AbortController();
    let turns = 0;
    const timer = setInterval(() => {
      if (++turns === 3) controller.abort();
    }, 1);
    await assert.rejects(searchNonce(header, 0n, controller.signal), (error) => !(error instanceof MergedMiningError));
    clearInterval(timer);
    assert.equal(turns, 3);
  });
});
