import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningNode, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";

/** Tests methods that development tools call, beyond those of the specification. */
describe("methods for tools of developers", () => {
  let folder: string;
  let node: RunningNode;
  let rpc: RpcClient;
  let from: string;
  let to: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-tools-"));
    node = await startNode("--network", "local", "--data-dir", folder, "--mine");
    rpc = new RpcClient(node.url);
    [from, to] = await rpc.call("eth_accounts");
  });
  after(async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  const latest = () => rpc.call("eth_getBlockByNumber", "latest");
  const height = async () => Number(await rpc.call("eth_blockNumber"));
  const transfer = (more: object = {}) =>
    rpc.call("eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208", ...more });
  const refused = (message: string | RegExp) => ({ code: -32602, message });

  it("set the time of blocks, from which the clock goes on", async () => {
    const start = Number((await latest()).timestamp) + 5_000_000;
    assert.equal(await rpc.call("evm_setNextBlockTimestamp", start), String(start));
    await transfer();
    assert.equal(Number((await latest()).timestamp), start);
    await rpc.call("evm_mine");
    const second = Number((await latest()).timestamp);
    assert(second > start && second < start + 1000, "the clock continues");
    assert.equal(await rpc.call("evm_increaseTime", 1000), "0x3e8");
    await rpc.call("evm_mine");
    const third = Number((await latest()).timestamp);
    assert(third >= second + 1000 && third < second + 2000, "shifts add up");
    await assert.rejects(rpc.call("evm_increaseTime", -1), refused(/^invalid number of seconds -1:/));
    const early = refused(`Timestamp ${third} is lower than or equal to previous block's timestamp ${third}`);
    await assert.rejects(rpc.call("evm_setNextBlockTimestamp", third), early);
    await assert.rejects(rpc.call("evm_setTime", third), early);
    await assert.rejects(rpc.call("evm_mine", third), early);
    await rpc.call("evm_mine", third + 77);
    assert.equal(Number((await latest()).timestamp), third + 77);
    assert((await rpc.call("evm_setTime", third + 100_000)) > 99_000);
    await rpc.call("evm_mine");
    const last = Number((await latest()).timestamp);
    assert(last >= third + 100_000 && last < third + 101_000);
    assert.equal(await rpc.call("anvil_setNextBlockTimestamp", last + 5), String(last + 5));
    await rpc.call("anvil_mine");
    assert.equal(Number((await latest()).timestamp), last + 5);
  });

  it("let the pending block, and what is simulated on it, have what is set for the next one", async () => {
    const start = Number((await latest()).timestamp);
    // Code that reverts before the time in its call data.
    const late = `0x${"7e".repeat(20)}`;
    await rpc.call("hardhat_setCode", late, "0x5f354210600857005b5f5ffd");
    const data = `0x${(start + 900).toString(16).padStart(64, "0")}`;
    // Tools also estimate without a block.
    const estimate = async (...block: string[]) => {
      return Number(await rpc.call("eth_estimateGas", { from, to: late, data }, ...block));
    };
    const fails = async () => {
      for (const block of [[], ["pending"], ["latest"]]) await assert.rejects(estimate(...block), /revert/);
    };
    const succeeds = async () => {
      const gas = await estimate("pending");
      assert(gas > 21_000);
      assert.equal(await estimate(), gas);
      await assert.rejects(estimate("latest"), /revert/);
    };
    await fails();
    await rpc.call("evm_increaseTime", 950);
    await succeeds();
    await rpc.call("evm_setNextBlockTimestamp", start + 800);
    await fails();
    await rpc.call("evm_setNextBlockTimestamp", start + 900);
    await succeeds();
    assert.equal(Number((await rpc.call("eth_getBlockByNumber", "pending")).timestamp), start + 900);
    await rpc.call("evm_mine");
    assert.equal(Number((await latest()).timestamp), start + 900);
  });

  it("mine several blocks, with time between them", async () => {
    const before = await height();
    const { timestamp } = await latest();
    await rpc.call("evm_mine", { blocks: 3, timestamp: Number(timestamp) + 50 });
    assert.equal(await height(), before + 3);
    const first = await rpc.call("eth_getBlockByNumber", `0x${(before + 1).toString(16)}`);
    assert.equal(Number(first.timestamp), Number(timestamp) + 50);
    assert.equal(await rpc.call("hardhat_mine", "0x5", "0x3c"), true);
    const [a, b] = await Promise.all(
      [before + 4, before + 8].map((n) => rpc.call("eth_getBlockByNumber", `0x${n.toString(16)}`)),
    );
    assert.equal(Number(b.timestamp) - Number(a.timestamp), 4 * 60);
    assert.equal(await rpc.call("hardhat_mine"), true);
    assert.equal(await rpc.call("anvil_mine", "0x2"), null);
    assert.equal(await height(), before + 11);
    await assert.rejects(rpc.call("hardhat_mine", 100_001), refused(/^Cannot mine 100001 blocks at once/));
  });

  it("stop and resume automatic mining, and mine at intervals", async () => {
    assert.equal(await rpc.call("hardhat_getAutomine"), true);
    assert.equal(await rpc.call("evm_setAutomine", false), true);
    assert.equal(await rpc.call("anvil_getAutomine"), false);
    const before = await height();
    const hash = await transfer();
    assert.equal(await rpc.call("eth_getTransactionReceipt", hash), null);
    assert.equal(await height(), before);
    assert.equal(await rpc.call("evm_setIntervalMining", 50), true);
    await until(async () => (await height()) >= before + 3);
    assert.equal((await rpc.call("eth_getTransactionReceipt", hash)).status, "0x1");
    assert.equal(await rpc.call("anvil_setIntervalMining", 0), null);
    await assert.rejects(rpc.call("evm_setIntervalMining", [5, 1]), refused("invalid interval [5,1]"));
    const waiting = await transfer();
    assert.equal(await rpc.call("anvil_setAutomine", true), null);
    await until(async () => (await rpc.call("eth_getTransactionReceipt", waiting)) !== null);
  });

  it("set gas limit, minimum gas price and coinbase at once", async () => {
    assert.equal(await rpc.call("evm_setBlockGasLimit", "0x1c9c380"), true);
    assert.equal((await latest()).gasLimit, "0x1c9c380");
    const { timestamp } = await latest();
    assert.equal(await rpc.call("hardhat_setMinGasPrice", "0x3938700"), true);
    assert.equal((await latest()).minimumGasPrice, "0x3938700");
    assert.equal((await latest()).timestamp, timestamp, "the clock does not move");
    await assert.rejects(transfer({ gasPrice: "0x1" }), { code: -32010 });
    await transfer({ gasPrice: "0x3938700" });
    assert.equal((await latest()).gasLimit, "0x1c9c380");
    assert.equal(await rpc.call("hardhat_setMinGasPrice", 0), true);
    assert.equal(await rpc.call("anvil_setCoinbase", to), null);
    await transfer();
    assert.equal((await latest()).miner, to);
    await assert.rejects(rpc.call("evm_setBlockGasLimit", 1), refused(/^A block cannot have the gas limit 1:/));
  });

  it("restore the clock with a snapshot", async () => {
    const id = await rpc.call("evm_snapshot");
    const { timestamp } = await latest();
    await rpc.call("evm_increaseTime", 1_000_000);
    await rpc.call("evm_mine");
    assert.equal(await rpc.call("evm_revert", id), true);
    await rpc.call("evm_mine");
    const after = Number((await latest()).timestamp) - Number(timestamp);
    assert(after > 0 && after < 1000);
  });

  it("answer the hash of a transaction behind a missing nonce, and mine it after the missing one", async () => {
    const nonce = Number(await rpc.call("eth_getTransactionCount", from));
    const early = await transfer({ nonce: `0x${(nonce + 1).toString(16)}` });
    assert.equal(await rpc.call("eth_getTransactionReceipt", early), null);
    assert.deepEqual(await rpc.call("txpool_status"), { pending: 0, queued: 1 });
    await transfer({ nonce: `0x${nonce.toString(16)}` });
    assert.equal((await rpc.call("eth_getTransactionReceipt", early)).status, "0x1");
  });

  it("are refused if they would change what was asked for", async () => {
    const type2 = refused("transaction type 2 is not supported on this network; send a legacy transaction");
    await assert.rejects(transfer({ type: "0x2" }), type2);
    await assert.rejects(rpc.call("eth_sendRawTransaction", "0x02c0"), type2);
    await assert.rejects(transfer({ maxFeePerGas: "0x1" }), refused(/^maxFeePerGas of transaction type 2/));
    await assert.rejects(transfer({ blobVersionedHashes: [] }), refused(/^blobVersionedHashes of transaction type 3/));
    await assert.rejects(transfer({ gasLimits: "0x1" }), refused("unknown member gasLimits of a transaction"));
  });
});

describe("methods of tools about pool, blocks and node", () => {
  let folder: string;
  let node: RunningNode;
  let rpc: RpcClient;
  let from: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-tools-"));
    node = await startNode("--network", "local", "--data-dir", folder, "--rpc.client-version", "anvil/v1.0.0");
    rpc = new RpcClient(node.url);
    [from] = await rpc.call("eth_accounts");
  });
  after(async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  const height = async () => Number(await rpc.call("eth_blockNumber"));
  const send = () => rpc.call("eth_sendTransaction", { from, to: from, gas: "0x5208" });

  it("drop transactions", async () => {
    const [first] = [await send(), await send()];
    assert.equal(await rpc.call("hardhat_dropTransaction", first), true);
    assert.equal(await rpc.call("hardhat_dropTransaction", first), false);
    assert.deepEqual(await rpc.call("txpool_status"), { pending: 0, queued: 1 });
    assert.equal(await rpc.call("hardhat_dropAllTransactions"), true);
    assert.deepEqual(await rpc.call("txpool_status"), { pending: 0, queued: 0 });
    const third = await send();
    assert.equal(await rpc.call("anvil_dropTransaction", third), third);
    assert.equal(await rpc.call("anvil_dropTransaction", third), null);
    assert.equal(await rpc.call("anvil_dropAllTransactions"), null);
    const mined = await send();
    await rpc.call("evm_mine");
    await assert.rejects(rpc.call("hardhat_dropTransaction", mined), { code: -32602, message: /already mined/ });
  });

  it("roll back and replace blocks", async () => {
    await rpc.call("hardhat_mine", 5);
    const before = await height();
    assert.equal(await rpc.call("anvil_rollback"), null);
    assert.equal(await height(), before - 1);
    const { hash } = await rpc.call("eth_getBlockByNumber", "latest");
    const request = { from, to: from, gas: "0x5208" };
    assert.equal(await rpc.call("anvil_reorg", 2, [[request, 1]]), null);
    assert.equal(await height(), before - 1);
    const latest = await rpc.call("eth_getBlockByNumber", "latest");
    assert.notEqual(latest.hash, hash);
    assert.equal(latest.transactions.length, 2, "the transaction and the reward transaction");
    await assert.rejects(rpc.call("anvil_rollback", 9999), { code: -32602, message: /^Cannot remove 9999 blocks/ });
    const outside = rpc.call("anvil_reorg", 1, [[request, 1]]);
    await assert.rejects(outside, { code: -32602, message: "Block 1 is not one of the 1 new ones" });
  });

  it("replace blocks by those with transactions of the node, which continue with the nonces before them", async () => {
    await rpc.call("evm_setAutomine", true);
    const [first, removed] = [await send(), await send()];
    const { nonce } = await rpc.call("eth_getTransactionByHash", removed);
    const request = { from, to: from, gas: "0x5208", value: "0x7" };
    const others = [
      [{ ...request, value: "0x8" }, 1],
      [request, 0],
    ];
    assert.equal(await rpc.call("anvil_reorg", 1, [[request, 0]]), null);
    assert.equal((await rpc.call("eth_getTransactionByHash", first)).hash, first);
    const [{ nonce: again, value }] = (await rpc.call("eth_getBlockByNumber", "latest", true)).transactions;
    assert.deepEqual([again, value], [nonce, "0x7"]);
    assert.equal(await rpc.call("anvil_reorg", 2, others), null);
    const block = await rpc.call("eth_getBlockByNumber", "latest", true);
    assert.deepEqual([block.transactions[0].nonce, block.transactions[0].value], [nonce, "0x8"]);
    await rpc.call("evm_setAutomine", false);
  });

  it("replace blocks without transactions by different ones, within the same second too", async () => {
    await rpc.call("hardhat_mine", 3);
    const hashes = new Set<string>();
    for (let time = 0; time < 5; time++) {
      const { hash, number } = await rpc.call("eth_getBlockByNumber", "latest");
      assert.equal(await rpc.call("anvil_reorg", 2, []), null);
      assert.equal(await rpc.call("eth_getBlockByHash", hash), null);
      assert.equal(await rpc.call("eth_blockNumber"), number);
      hashes.add(hash);
    }
    assert.equal(hashes.size, 5);
  });

  it("describe the node", async () => {
    assert.equal(await rpc.call("web3_clientVersion"), "anvil/v1.0.0");
    const latest = await rpc.call("eth_getBlockByNumber", "latest");
    const metadata = await rpc.call("hardhat_metadata");
    assert.deepEqual([metadata.chainId, metadata.latestBlockHash], [33, latest.hash]);
    assert.deepEqual(await rpc.call("anvil_metadata"), metadata);
    const info = await rpc.call("anvil_nodeInfo");
    assert.deepEqual([info.currentBlockHash, info.environment.chainId], [latest.hash, 33]);
    assert.equal(await rpc.call("hardhat_setLoggingEnabled", false), true);
    assert.equal(await rpc.call("anvil_setLoggingEnabled", true), null);
    assert.equal(await rpc.call("anvil_enableTraces"), null);
  });

  it("reset the chain, but fork no other", async () => {
    const fork = rpc.call("hardhat_reset", { forking: { jsonRpcUrl: "http://127.0.0.1:1" } });
    await assert.rejects(fork, {
      code: -32602,
      message: /^This node keeps its chain; only "node-cli dev" changes/,
    });
    assert.equal(await rpc.call("hardhat_reset"), true);
    assert.equal(await height(), 0);
    assert.equal(await rpc.call("anvil_reset", {}), null);
  });
});
