import assert from "node:assert/strict";
import { withFolder } from "@cambium/test-utils/node-cli";
import { assertSound, FailingNode } from "./failing-node.js";

const BLOCKS = 5;

describe("a node in which nothing catches", () => {
  for (const failure of ["exception", "rejection"] as const) {
    it(`${failure}: logs it, stops with status 1, and leaves a sound database`, async () => {
      await withFolder(async (folder) => {
        const node = await FailingNode.start(folder);
        await node.mine(BLOCKS);
        node.fail("main", failure);
        assert.equal(await node.ended(), 1);
        assert.match(node.log, /Uncaught exception, stopping/);
        assert.match(node.log, /induced failure/);
        await assertSound(folder, BLOCKS);
      });
    });
  }
});
