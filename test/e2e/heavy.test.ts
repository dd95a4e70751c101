import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

async function ask(url: string, method: string, params: unknown[]): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error }: Json = await response.json();
  if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
  return result;
}

describe("a node under heavy requests", () => {
  it("answers light requests in the meantime, and the heavy ones when they are finished", async () => {
    const blocks = vectorPath("chains", "contracts.blocks.txt.gz");
    await withFolder(async (folder) => {
      const options = ["--network", "local", "--data-dir", folder];
      await runCli("import", blocks, ...options);
      // The start of a thread on a busy machine takes longer than the default limit.
      const settings = join(folder, "rpc.json");
      writeFileSync(settings, JSON.stringify({ timeout: 300_000 }));
      const node = await startNode(...options, "--no-ws", "--rpc.modules", "debug,trace", "--rpc.config", settings);
      const head = Number(await ask(node.url, "eth_blockNumber", []));
      const hashes = Array.from({ length: Math.min(head, 60) }, (_, i) => `0x${(i + 1).toString(16)}`);
      let done = 0;
      const traces = hashes.map(async (number) => {
        const list = await ask(node.url, "debug_traceBlockByNumber", [number, { tracer: "callTracer" }]);
        done++;
        return list.length;
      });
      let light = 0;
      while (done === 0) {
        await ask(node.url, "eth_getBalance", [`0x${"11".repeat(20)}`]);
        await ask(node.url, "eth_call", [{ to: `0x${"11".repeat(20)}` }]);
        light++;
      }
      assert.ok(light > 0);
      const sizes = await Promise.all(traces);
      const counts = await Promise.all(
        hashes.map(async (number) => Number(await ask(node.url, "eth_getBlockTransactionCountByNumber", [number]))),
      );
      assert.deepEqual(sizes, counts);
      const [flat] = await ask(node.url, "trace_block", ["0x1"]);
      assert.equal(flat.blockNumber, 1);
      assert.equal(await node.stop(), 0);
    });
  });

  it("ends endless tracers in JavaScript by their processor time, and answers others in the meantime", async () => {
    await withFolder(async (folder) => {
      const settings = join(folder, "rpc.json");
      writeFileSync(settings, JSON.stringify({ timeout: 300_000, trace: { javascript: true } }));
      const node = await startNode("--network", "local", "--data-dir", folder, "--no-ws", "--rpc.config", settings);
      const trace = (tracer: string) =>
        ask(node.url, "debug_traceCall", [{ data: "0x5f" }, "latest", { tracer: `{ fault() {}, ${tracer} }` }]);
      const endless = ["step() { for (;;); }, result() {}", "result() { for (;;) try { for (;;); } catch {} }"];
      let ended = 0;
      const refusals = endless.map(async (tracer) => {
        await assert.rejects(trace(tracer), /-32000 the tracer runs longer than 5000 ms$/);
        ended++;
      });
      let light = 0;
      while (ended < endless.length) {
        await ask(node.url, "eth_blockNumber", []);
        await ask(node.url, "eth_call", [{ to: `0x${"11".repeat(20)}` }]);
        light++;
      }
      await Promise.all(refusals);
      assert.ok(light > 1);
      assert.equal(await trace("result() { return 1 + 1; }"), 2);
      assert.equal(await node.stop(), 0);
    });
  });
});
