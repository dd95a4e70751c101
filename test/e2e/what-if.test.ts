import assert from "node:assert/strict";
import { join } from "node:path";
import { type RunningNode, runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { type Json, RpcClient } from "@cambium/test-utils/rpc-client";
import { vectorPath } from "@cambium/test-utils/vectors";

/** Creation of a contract that reads a cell twice and writes it: SLOAD(0), SLOAD(0), SSTORE(0, 1). */
const RUNTIME = "600054506000545060016000550000";
const INIT = `0x6f${RUNTIME.padEnd(32, "0")}60005260106010f3`;

describe("node-cli what-if", () => {
  const local = ["--network", "local"];

  async function report(folder: string, ...args: string[]): Promise<Json> {
    const { status, stdout, stderr } = await runCli("what-if", ...local, "--data-dir", folder, "--json", ...args);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  }

  it("compares transactions and calls with what Ethereum makes of them", async () => {
    await withFolder(async (folder) => {
      const node: RunningNode = await startNode(...local, "--mine", "--data-dir", folder);
      const rpc = new RpcClient(node.url);
      const [from] = await rpc.call("eth_accounts");
      const creation = await rpc.call("eth_sendTransaction", { from, data: INIT, gas: "0x30d40" });
      const { contractAddress: to, gasUsed } = await rpc.call("eth_getTransactionReceipt", creation);
      const write = await rpc.call("eth_sendTransaction", { from, to, gas: "0x30d40" });
      const written = await rpc.call("eth_getTransactionReceipt", write);
      assert.equal(await node.stop(), 0);

      const created = await report(folder, creation, "--hardfork", "Shanghai");
      assert.equal(created.rules, "ethereum/shanghai");
      assert.equal(created.here.gasUsed, Number(gasUsed));
      assert.equal(created.here.created, to);
      assert.deepEqual([created.isSameOutcome, created.firstDifference], [true, undefined]);
      assert.deepEqual([created.here.status, created.there.status], ["success", "success"]);

      const prague = await report(folder, write, "--hardfork", "prague");
      assert.equal(prague.here.gasUsed, Number(written.gasUsed));
      assert.equal(prague.here.intrinsicGas, 21_000);
      const loads = prague.opcodes.find(({ name }: Json) => name === "SLOAD");
      assert.deepEqual(
        [loads.here, loads.there],
        [
          { count: 2, gas: 400 },
          { count: 2, gas: 2_200 },
        ],
      );

      // PUSH0 is older on this chain than on Ethereum.
      const push0 = JSON.stringify({ data: "0x5f5ff3", gas: "0x186a0" });
      const paris = await report(folder, "--call", push0, "--hardfork", "paris", "--block", "1");
      assert.deepEqual([paris.here.status, paris.there.status], ["success", "failed"]);
      assert.equal(paris.isSameOutcome, false);
      assert.equal(paris.there.reason, "invalid opcode");

      const poor = JSON.stringify({ to, gas: "0x5000" });
      assert.equal((await report(folder, "--call", poor, "--hardfork", "prague")).there.status, "refused");
      const text = await runCli("what-if", write, ...local, "--data-dir", folder, "--hardfork", "prague");
      assert.match(text.stdout, /^gas used +\d+ +\d+$/m);
    });
  });

  it("compares with a draft of this chain: a transaction, a call, and the transactions of blocks", async () => {
    await withFolder(async (folder) => {
      const node: RunningNode = await startNode(...local, "--mine", "--data-dir", folder);
      const rpc = new RpcClient(node.url);
      const [from] = await rpc.call("eth_accounts");
      const creation = await rpc.call("eth_sendTransaction", { from, data: INIT, gas: "0x30d40" });
      const { contractAddress: to } = await rpc.call("eth_getTransactionReceipt", creation);
      const first = await rpc.call("eth_sendTransaction", { from, to, gas: "0x30d40" });
      // The second write changes nothing, for 5000 gas today; a cold cell takes 2100, and its check 2300.
      const second = await rpc.call("eth_sendTransaction", { from, to, gas: `0x${(21_000 + 5420).toString(16)}` });
      assert.equal((await rpc.call("eth_getTransactionReceipt", second)).status, "0x1");
      assert.equal(await node.stop(), 0);

      const draft = ["--rules", "rskip555"];
      const written = await report(folder, first, ...draft);
      assert.equal(written.rules, "with rskip555");
      assert.deepEqual([written.here.gasUsed, written.there.gasUsed], [21_000 + 20_416, 21_000 + 20_000 + 2_216]);
      const call = await report(folder, "--call", JSON.stringify({ to, gas: "0x6000" }), ...draft, "--block", "1");
      assert.deepEqual([call.here.status, call.there.status], ["failed", "failed"]);

      const range = await report(folder, "--blocks", "1-3", ...draft);
      const gas = { gasHere: 21_000 + 20_416 + 21_000 + 5416, gasThere: 21_000 + 20_000 + 2_216 + 21_000 + 2_316 };
      assert.deepEqual([range.blocks, range.transactions, range.differentGas, range.differentStatus], [3, 3, 2, 0]);
      assert.deepEqual(
        range.recipients.find((one: Json) => one.to === to),
        { to, transactions: 2, failures: 0, ...gas },
      );
      const args = ["what-if", ...local, "--data-dir", folder, "--blocks", "3-3", ...draft];
      assert.match(
        (await runCli(...args)).stdout,
        /^1 transactions of 1 blocks: 1 use other gas, 0 have another status/,
      );
    });
  });

  it("says what is wrong with its input", async () => {
    await withFolder(async (folder) => {
      const file = join(vectorPath("chains"), "transfers.blocks.txt");
      assert.equal((await runCli("import", ...local, "--data-dir", folder, file)).status, 0);
      const hash = `0x${"11".repeat(32)}`;
      const cases: [args: string[], expected: RegExp][] = [
        [["--hardfork", "prague"], /the hash of a transaction, --call, or --blocks/],
        [[hash, "--call", "{}", "--hardfork", "prague"], /the hash of a transaction, --call, or --blocks/],
        [[hash, "--hardfork", "papyrus"], /one of homestead, .*prague/],
        [[hash, "--hardfork", "prague"], /a transaction of the best chain/],
        [["0x12", "--hardfork", "prague"], /32 bytes in hex/],
        [["--call", "{", "--hardfork", "prague"], /cannot read --call/],
        [["--call", '{"to":5}', "--hardfork", "prague"], /a call object \(Invalid address/],
        [["--call", "{}", "--block", "99999", "--hardfork", "prague"], /a block of the best chain/],
        [["--call", "{}"], /either --hardfork or --rules/],
        [["--call", "{}", "--hardfork", "prague", "--rules", "rskip555"], /either --hardfork or --rules/],
        [["--call", "{}", "--rules", "rskip9999"], /rules, such as rskip555/],
        [["--blocks", "1-2", "--hardfork", "prague"], /--rules with it/],
        [["--blocks", "1-2", "--rules", "rskip555", "--block", "1"], /nor --call or --block/],
        [["--blocks", "2-1", "--rules", "rskip555"], /two numbers from 1 to/],
      ];
      for (const [args, expected] of cases) {
        const { status, stderr } = await runCli("what-if", ...local, "--data-dir", folder, ...args);
        assert.equal(status, 1);
        assert.match(stderr, expected);
        assert.doesNotMatch(stderr, /\n\s+at /);
      }
    });
  });
});
