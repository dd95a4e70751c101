import assert from "node:assert/strict";
import { type RunningNode, runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";

/** First account of the local network, whose key its nodes hold. */
const ACCOUNT = "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826";

interface Rehearsal {
  answer: { kind: string; code?: number; importResult?: string; blockNumber?: number; blockHash?: string };
  asExpected: boolean;
}

async function call(node: RunningNode, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(node.url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  assert.equal(error, undefined, error?.message);
  return result;
}

async function mine(node: RunningNode, ...options: string[]): Promise<Rehearsal[]> {
  const { status, stdout, stderr } = await runCli("miner", "--rpc", node.url, "--json", ...options);
  assert.equal(status, 0, stderr + stdout);
  return JSON.parse(stdout);
}

describe("merged mining over JSON-RPC", () => {
  it("mines blocks with pending transactions in all three ways, and keeps them across a restart", () =>
    withFolder(async (folder) => {
      const options = ["--network", "local", "--data-dir", folder];
      let node = await startNode(...options);
      const hash = await call(node, "eth_sendTransaction", { from: ACCOUNT, to: ACCOUNT, value: "0x1" });
      for (const method of ["block", "transactions", "partial-merkle"]) {
        const mined = await mine(node, "--method", method, "--transactions", "12", "--count", "2");
        assert(mined.every(({ answer }) => answer.importResult === "IMPORTED_BEST"));
      }
      const receipt = (await call(node, "eth_getTransactionReceipt", hash)) as { status: string; blockNumber: string };
      assert.equal(receipt.status, "0x1");
      assert(Number(receipt.blockNumber) <= 2);
      assert.equal(await node.stop(), 0);
      node = await startNode(...options);
      assert.equal(await call(node, "eth_blockNumber"), "0x6");
      const [next] = await mine(node);
      assert.equal(next!.answer.blockNumber, 7);
      await node.stop();
    }));

  it("reports what is wrong with a solution", () =>
    withFolder(async (folder) => {
      const node = await startNode("--network", "local", "--data-dir", folder);
      for (const fault of ["wrong-tag", "bad-proof"]) {
        const [refused] = await mine(node, "--fault", fault, "--transactions", "3");
        assert.equal(refused!.answer.code, -33000);
        assert.equal(await call(node, "eth_blockNumber"), "0x0");
      }
      const [late] = await mine(node, "--fault", "stale-work");
      assert.equal(late!.answer.importResult, "IMPORTED_NOT_BEST");
      // The template for block 2 may be older than the late block.
      await mine(node, "--count", "2");
      const blocks = await Promise.all(
        ["0x2", "0x3"].map((number) => call(node, "eth_getBlockByNumber", number, false)),
      );
      assert.deepEqual(
        (blocks as { uncles: string[] }[]).flatMap(({ uncles }) => uncles),
        [late!.answer.blockHash],
      );
      await node.stop();
    }));
});
