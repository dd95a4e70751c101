import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import type { RpcClient } from "@cambium/test-utils/rpc-client";
import { type Dev, startDev } from "../e2e/dev-process.js";
import {
  add,
  COUNTER,
  FUNDED,
  HASHER_CODE,
  mined,
  outcomesOf,
  REWARD,
  UNKNOWN,
  wordOf,
} from "../e2e/forked-contracts.js";
import type { InteropNode } from "./interop-node.js";
import { useNodes } from "./node-group.js";

/** Tests a fork of a chain that the deployed client serves. */
describe("node-cli dev --fork of the deployed client", () => {
  const nodes = useNodes();
  const cache = mkdtempSync(join(tmpdir(), "cambium-fork-"));
  let reference: InteropNode;
  let fork: Dev;
  let counter: string;
  let hasher: string;
  let height: number;

  after(async () => {
    await fork?.stop();
    rmSync(cache, { recursive: true });
  });

  const create = async (rpc: RpcClient, data: string): Promise<string> =>
    (await mined(rpc, { from: FUNDED, data, gas: "0x60000", gasPrice: "0x0" })).contractAddress;
  const best = async (rpc: RpcClient) => Number(await rpc.call("eth_blockNumber"));

  it("reads accounts, cells, blocks, receipts and logs", async () => {
    const settings = { "miner.client.enabled": true, "miner.client.autoMine": true };
    reference = await nodes.reference("reference", { settings });
    const theirs = reference.rpc;
    counter = await create(theirs, COUNTER_CODE);
    hasher = await create(theirs, HASHER_CODE);
    const added = await mined(theirs, { from: FUNDED, to: counter, data: add(5), gas: "0x60000", gasPrice: "0x0" });
    height = await best(theirs);
    fork = await startDev("--fork", theirs.url, "--fork.cache", cache, "--fork.block", `${height}`);
    const { rpc } = fork;
    assert.equal(await best(rpc), height);
    for (const address of [FUNDED, counter, hasher, UNKNOWN, REWARD]) {
      for (const method of ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"]) {
        assert.equal(await rpc.call(method, address, "latest"), await theirs.call(method, address, "latest"), address);
      }
      const call = { to: hasher, data: wordOf(address) };
      assert.equal(await rpc.call("eth_call", call, "latest"), await theirs.call("eth_call", call, "latest"), address);
    }
    const total = { to: counter, data: COUNTER.encodeFunctionData("total") };
    assert.equal(await rpc.call("eth_call", total, "latest"), await theirs.call("eth_call", total, "latest"));
    for (let number = 0; number <= height; number++) {
      const own = await rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      const { hash, totalDifficulty } = await theirs.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      assert.deepEqual([own.hash, own.totalDifficulty], [hash, totalDifficulty]);
    }
    const receipt = await rpc.call("eth_getTransactionReceipt", added.transactionHash);
    assert.deepEqual([receipt.blockHash, receipt.gasUsed, receipt.logs.length], [added.blockHash, added.gasUsed, 1]);
    const logs = await rpc.call("eth_getLogs", { fromBlock: "0x0", address: counter });
    assert.deepEqual(
      logs.map(({ data }: { data: string }) => Number(data)),
      [5],
    );
  });

  it("executes transactions as that client does", async () => {
    await fork.rpc.call("hardhat_impersonateAccount", FUNDED);
    const contracts = { counter, hasher };
    assert.deepEqual(await outcomesOf(fork.rpc, contracts), await outcomesOf(reference.rpc, contracts));
  });
});
