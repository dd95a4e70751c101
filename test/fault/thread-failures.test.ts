import assert from "node:assert/strict";
import { join } from "node:path";
import { importRecorded, withFolder } from "@cambium/test-utils/node-cli";
import { bestOf, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { until } from "@cambium/test-utils/rpc-client";
import { vectorPath } from "@cambium/test-utils/vectors";
import { assertSound, FailingNode, type Failure } from "./failing-node.js";

const BLOCKS = 3;
/** Threads without which the node cannot continue. */
const NEEDED: readonly [thread: string, failure: Failure, reason: RegExp][] = [
  ["import-thread", "memory", /thread=import reason=Worker terminated due to reaching memory limit/],
  ["import-thread", "rejection", /thread=import reason=Error: induced failure/],
  ["level-writer-thread", "memory", /thread=database writer reason=Worker terminated due to reaching memory limit/],
];

describe("threads that fail", () => {
  for (const [thread, failure, reason] of NEEDED) {
    it(`${thread}, ${failure}: the node logs why, stops with status 1, and leaves a sound database`, async () => {
      await withFolder(async (folder) => {
        const node = await FailingNode.start(folder);
        await node.mine(BLOCKS);
        node.fail(thread, failure);
        assert.equal(await node.ended(), 1, node.log);
        assert.match(node.log, reason);
        assert.match(node.log, /Block import failed, the node must stop/);
        assert.match(node.log, /Node stopped/);
        await assertSound(folder, BLOCKS);
      });
    });
  }

  it("threads that build blocks, answer and trace: others take their place, and nothing is lost", async () => {
    await withFolder(async (folder) => {
      const node = await FailingNode.start(folder, { flags: ["--rpc.readers", "2"] });
      const [from] = await node.rpc.call("eth_accounts");
      const call = { from, to: from };
      const transaction = await node.rpc.call("eth_sendTransaction", { ...call, value: "0x1" });
      const uses: Record<string, () => Promise<unknown>> = {
        "building-thread": () => node.rpc.call("eth_getBalance", from, "pending"),
        "heavy-thread": () => node.rpc.call("eth_getProof", from, [], "latest"),
        "reader-thread": () => node.rpc.call("eth_blockNumber"),
      };
      for (const [thread, use] of Object.entries(uses)) {
        for (const failure of ["memory", "exception"] as const) {
          await use();
          const before = node.starts(thread);
          node.fail(thread, failure);
          // Requests that the thread had begun fail, and so do those in the pause before the next thread.
          const isAnswered = () =>
            use().then(
              () => true,
              () => false,
            );
          await until(async () => (await isAnswered()) && node.starts(thread) > before);
        }
      }
      const isMined = async () => (await node.rpc.call("eth_getTransactionReceipt", transaction)) !== null;
      let blocks = 0;
      while (!(await isMined())) {
        await node.mine(1);
        blocks++;
        assert(blocks < 10, "the transaction is not mined");
      }
      for (const name of ["block building", "pending reads"]) {
        assert.match(node.log, new RegExp(`"thread":"${name}".*failed and will be replaced`));
      }
      assert.equal(await node.stop(), 0);
      await assertSound(folder, blocks);
    });
  });

  it("threads that recover signers: the import does without them", async () => {
    await withFolder(async (folder) => {
      const serving = join(folder, "serving");
      const file = join(vectorPath("chains"), "uncles-and-reorgs.blocks.txt.gz");
      await importRecorded("--network", "local", "--data-dir", serving, file);
      const server = await startPeerNode(serving, []);
      const peering = ["--p2p", "--p2p.bootnodes", server.address];
      const node = await FailingNode.start(folder, { flags: peering, atStart: "sender-recovery-thread memory" });
      const best = await bestOf(server);
      await until(async () => (await bestOf(node)).hash === best.hash, 5 * 60_000);
      assert(node.starts("sender-recovery-thread") > 0);
      assert.equal(await node.stop(), 0);
      assert.equal(await server.node.stop(), 0);
      await assertSound(folder, best.number);
    });
  });
});
