import assert from "node:assert/strict";
import { runConformance } from "@cambium/conformance";
import { Test } from "mocha";
import { vectorPath } from "../vectors.js";

/** Every vector folder this node claims, through the runner that `node-cli conformance` uses. */
const FOLDERS = ["merged-mining", "state-tests", "scenarios", "chains", "bridge", "rpc"];

/** The only parts that a vector may still wait for; the reason of a pending case starts with one of them. */
const MAY_WAIT_FOR = /^(bridge method|rpc method)/;

describe("conformance", () => {
  for (const folder of FOLDERS) {
    it(`${folder}: every vector gets the recorded answer`, async function () {
      const path = vectorPath(folder);
      if (path === undefined) this.skip();
      const { reports } = await runConformance([path]);
      const failures = reports.flatMap((report) => report.failures);
      const pending = reports.flatMap((report) => report.pendingCases);
      for (const { name, reason } of pending) waiting.addTest(new Test(`${name}: ${reason}`));
      assert.deepEqual(failures.slice(0, 20), [], `${failures.length} failed`);
      assert.deepEqual(
        pending.filter(({ reason }) => !MAY_WAIT_FOR.test(reason)),
        [],
      );
      assert.ok(reports.some((report) => report.passed > 0));
    });
  }
});

/** Filled by the tests above, so that each pending vector is listed by name. */
const waiting = describe("vectors that wait for a part of the node", () => {
  it("are listed below, if any", () => {});
});
