import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningNode, runCli, spawnCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { BITCOIND, BitcoinNode } from "./bitcoin-node.js";

const TRANSACTIONS = 3;
const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const METHODS = ["block", "transactions", "partial-merkle"];

describe("merged mining with a Bitcoin node", function () {
  this.timeout(120_000);
  if (BITCOIND === undefined) {
    it.skip("needs a Bitcoin node: set CAMBIUM_BITCOIND to the command that runs it");
    return;
  }
  let bitcoin: BitcoinNode;

  before(async () => {
    bitcoin = await BitcoinNode.start();
  });

  after(() => bitcoin.stop());

  function withNode(use: (node: RunningNode) => Promise<void>): Promise<void> {
    return withFolder(async (folder) => {
      const node = await startNode("--network", "local", "--data-dir", folder);
      try {
        await use(node);
      } finally {
        await node.stop();
      }
    });
  }

  for (const place of ["output", "script"]) {
    it(`extends both chains with the tag in the ${place}, with transactions and witnesses in the parent's blocks`, () =>
      withNode(async (node) => {
        const rpc = new RpcClient(node.url);
        const address = await bitcoin.call("getnewaddress", "", "bech32");
        if ((await bitcoin.call("getblockcount")) < 101) await bitcoin.call("generatetoaddress", 101, address);
        for (const method of METHODS) {
          for (let i = 0; i < TRANSACTIONS; i++) await bitcoin.call("sendtoaddress", address, 0.1);
          const height = await bitcoin.call("getblockcount");
          const best = Number(await rpc.call("eth_blockNumber"));
          const options = ["--rpc", node.url, "--parent", bitcoin.url, "--payout", address, "--json"];
          const { status, stdout, stderr } = await runCli(
            "miner",
            ...options,
            "--tag",
            place,
            "--method",
            method,
            "--count",
            "4",
          );
          assert.equal(status, 0, stderr + stdout);
          const { parent, child } = JSON.parse(stdout);
          assert.deepEqual([child.accepted, child.refused, parent.refused], [4, 0, 0], stdout);
          assert.equal(Number(await rpc.call("eth_blockNumber")), best + 4);
          assert.equal(await bitcoin.call("getblockcount"), height + parent.accepted);
          const mined = [];
          for (let number = height + 1; number <= height + parent.accepted; number++) {
            const { tx } = await bitcoin.call("getblock", await bitcoin.call("getblockhash", number), 2);
            assert.ok(tx[0].hex.includes(Buffer.from("RSKBLOCK:").toString("hex")));
            mined.push(...tx.slice(1));
          }
          assert.equal(mined.length, TRANSACTIONS);
          assert.ok(
            mined.some(({ txid, hash }) => txid !== hash),
            "some have witnesses",
          );
        }
      }));
  }

  it("is what the program in the documentation does", () =>
    withNode(async (node) => {
      const [, program] = /```ts\n(.+?)```/s.exec(readFileSync(join(REPOSITORY, "docs/mining.md"), "utf8"))!;
      // A folder next to the packages that the program imports.
      const folder = mkdtempSync(join(REPOSITORY, "test/bitcoin/program-"));
      try {
        writeFileSync(join(folder, "program.ts"), program!);
        const url = new URL(bitcoin.url);
        const credentials = `${url.username}:${url.password}`;
        url.username = url.password = "";
        const height = await bitcoin.call("getblockcount");
        const args = [join(folder, "program.ts"), url.href, node.url, credentials, "51"];
        const best = new RpcClient(node.url);
        // A solution meets the target of this chain in two of three cases.
        while (Number(await best.call("eth_blockNumber")) === 0) {
          const { status, stderr } = spawnSync("npx", ["tsx", ...args], { cwd: REPOSITORY, encoding: "utf8" });
          assert.equal(status, 0, stderr);
        }
        assert.ok((await bitcoin.call("getblockcount")) > height);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }));

  it("continues after a reorganisation, and after a restart of the Bitcoin node", () =>
    withNode(async (node) => {
      const rpc = new RpcClient(node.url);
      const miner = spawnCli(
        "miner",
        "--rpc",
        node.url,
        "--parent",
        bitcoin.url,
        "--count",
        "1000000",
        "--interval",
        "50",
      );
      let output = "";
      miner.stdout!.on("data", (chunk) => (output += chunk));
      const ended = new Promise<number | null>((resolve) => miner.on("close", resolve));
      const until = async (isDone: () => boolean | Promise<boolean>) => {
        while (!(await isDone())) {
          assert.equal(miner.exitCode, null, output);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const accepted = () => output.split("parent: accepted").length;
      try {
        await until(() => accepted() > 5);
        const height = await bitcoin.call("getblockcount");
        await bitcoin.call("invalidateblock", await bitcoin.call("getblockhash", height - 2));
        await until(async () => (await bitcoin.call("getblockcount")) > height);
        await bitcoin.halt();
        await until(() => output.includes("parent: away"));
        const best = Number(await rpc.call("eth_blockNumber"));
        await until(async () => Number(await rpc.call("eth_blockNumber")) > best + 3);
        await bitcoin.run();
        await bitcoin.call("loadwallet", "test");
        await until(() => output.includes("parent: reached again"));
        const before = accepted();
        await until(() => accepted() > before + 3);
      } finally {
        miner.kill("SIGINT");
      }
      // Status 0: no solution was refused.
      assert.equal(await ended, 0, output);
    }));
});
