import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";
import { WebSocketProvider } from "ethers";
import { createTestClient, http } from "viem";
import { type Dev, startDev } from "./dev-process.js";
import { FaultyEndpoint } from "./faulty-endpoint.js";
import { add, COUNTER, FUNDED } from "./forked-contracts.js";

/** A password in answers of foreign servers, and in the URL of an endpoint. */
const SECRET = "an-internal-password";
const TOTAL = COUNTER.encodeFunctionData("total");

/** `hardhat_reset` to forks of another node, and back. */
describe("hardhat_reset of node-cli dev", () => {
  const folders: string[] = [];
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "cambium-reset-"));
    folders.push(made);
    return made;
  };
  const running: Dev[] = [];
  const endpoints: FaultyEndpoint[] = [];
  const data = folder();
  const cache = folder();
  let source: RunningNode;
  let counter: string;
  /** The counter is 5 after `height - 2`, 12 after `height - 1`, 20 after `height`. */
  let height: number;

  /** Starts with the origins of all endpoints that the tests fork, unless there is `--fork.allow`. */
  const start = async (...options: string[]) => {
    const origins = [source, ...endpoints].map(({ url }) => url);
    const allowed = options.includes("--fork.allow") ? [] : ["--fork.allow", origins.join(" ")];
    const dev = await startDev("--fork.cache", cache, ...allowed, ...options);
    running.push(dev);
    return dev;
  };
  const send = async (rpc: RpcClient, from: string, to: string | undefined, input: string) => {
    const request = { from, ...(to === undefined ? {} : { to }), data: input, gas: "0x40000" };
    return rpc.call("eth_getTransactionReceipt", await rpc.call("eth_sendTransaction", request));
  };
  const total = async (rpc: RpcClient) => Number(await rpc.call("eth_call", { to: counter, data: TOTAL }, "latest"));
  const number = async (rpc: RpcClient) => Number(await rpc.call("eth_blockNumber"));
  const reset = (rpc: RpcClient, jsonRpcUrl: string | undefined, blockNumber?: number) =>
    rpc.call("hardhat_reset", { forking: { jsonRpcUrl, blockNumber } });

  before(async () => {
    source = await startNode("--network", "local", "--data-dir", data, "--mine");
    const origin = new RpcClient(source.url);
    counter = (await send(origin, FUNDED, undefined, COUNTER_CODE)).contractAddress;
    for (const amount of [5, 7, 8]) await send(origin, FUNDED, counter, add(amount));
    height = await number(origin);
  });
  after(async () => {
    for (const dev of running) await dev.stop();
    for (const endpoint of endpoints) await endpoint.close();
    await source.stop();
    for (const one of folders) rmSync(one, { recursive: true, force: true });
  });

  it("begins forks of any block, and a local chain again, on the same port", async () => {
    const { rpc, url, output, stop } = await start();
    const [from] = await rpc.call("eth_accounts");
    const genesis = await rpc.call("eth_getBlockByNumber", "0x0");
    for (const [block, expected] of [
      [height, 20],
      [height - 1, 12],
      [height - 2, 5],
      [height, 20],
    ] as const) {
      assert.equal(await reset(rpc, source.url, block), true);
      assert.deepEqual([await number(rpc), await total(rpc)], [block, expected]);
      const { forkedNetwork } = await rpc.call("hardhat_metadata");
      assert.equal(forkedNetwork.forkBlockNumber, block);
      assert.equal((await send(rpc, from, counter, add(1))).status, "0x1");
      assert.deepEqual([await number(rpc), await total(rpc)], [block + 1, expected + 1]);
    }
    // The first reset names only the block. The second one takes the best block of the source.
    assert.equal(await reset(rpc, undefined, height - 2), true);
    assert.equal(await total(rpc), 5);
    assert.equal(await rpc.call("anvil_reset", { forking: { jsonRpcUrl: source.url } }), null);
    assert.deepEqual([await number(rpc), await total(rpc)], [height, 20]);
    assert(output().includes(`after block ${height - 2} `));

    await send(rpc, from, counter, add(1));
    assert.equal(await rpc.call("hardhat_reset", { forking: {} }), true);
    assert.deepEqual([await number(rpc), await total(rpc)], [height, 20]);

    assert.equal(await rpc.call("hardhat_reset"), true);
    assert.equal(await number(rpc), 0);
    assert.equal(await rpc.call("eth_getCode", counter, "latest"), "0x");
    assert.equal((await rpc.call("hardhat_metadata")).forkedNetwork, undefined);
    const fresh = await rpc.call("eth_getBlockByNumber", "0x0");
    assert.equal(fresh.gasLimit, genesis.gasLimit);
    assert.equal((await send(rpc, from, from, "0x")).blockNumber, "0x1");
    assert.equal(rpc.url, url);
    assert.equal(await stop(), 0);
  });

  it("begins the forks that viem's test client asks for", async () => {
    const { rpc, url, stop } = await start();
    const client = createTestClient({ mode: "hardhat", transport: http(url) });
    await client.reset({ jsonRpcUrl: source.url, blockNumber: BigInt(height - 1) });
    assert.equal(await total(rpc), 12);
    await client.mine({ blocks: 3 });
    await client.reset();
    assert.deepEqual([await number(rpc), await total(rpc)], [height - 1, 12]);
    assert.equal(await stop(), 0);
  });

  it("ends filters, snapshots and what tools have set, and goes on with subscriptions", async () => {
    const { rpc, url, stop } = await start();
    const [from] = await rpc.call("eth_accounts");
    const provider = new WebSocketProvider(url.replace("http", "ws"));
    const heads: number[] = [];
    await provider.on("block", (block) => heads.push(block));
    const filter = await rpc.call("eth_newBlockFilter");
    const snapshot = await rpc.call("evm_snapshot");
    await rpc.call("hardhat_impersonateAccount", counter);
    await rpc.call("evm_setAutomine", false);
    const queued = await rpc.call("eth_sendTransaction", { from, to: from, gas: "0x5208" });
    const { instanceId } = await rpc.call("hardhat_metadata");

    await reset(rpc, source.url, height);
    await assert.rejects(rpc.call("eth_getFilterChanges", filter), { message: "filter not found" });
    assert.equal(await rpc.call("evm_revert", snapshot), false);
    assert.notEqual((await rpc.call("hardhat_metadata")).instanceId, instanceId);
    assert(!(await rpc.call("eth_accounts")).includes(counter));
    assert.equal(await rpc.call("eth_getTransactionByHash", queued), null);
    assert.equal(await rpc.call("hardhat_getAutomine"), true);
    await send(rpc, from, counter, add(1));
    await until(async () => heads.includes(height + 1));
    const next = await rpc.call("eth_newBlockFilter");
    const { hash } = await rpc.call("eth_getBlockByNumber", await rpc.call("evm_mine").then(() => "latest"));
    assert.deepEqual(await rpc.call("eth_getFilterChanges", next), [hash]);
    assert.equal(await rpc.call("evm_revert", await rpc.call("evm_snapshot")), true);
    await provider.destroy();
    assert.equal(await stop(), 0);
  });

  it("keeps its chain if there is no other", async () => {
    const options = ["--fork", source.url, "--fork.block", String(height - 1)];
    const { rpc, stop } = await start(...options, "--fork.allow", "http://127.0.0.1:1");
    const [from] = await rpc.call("eth_accounts");
    await send(rpc, from, counter, add(1));
    await assert.rejects(reset(rpc, source.url, height + 50), { message: /the best block of the endpoint is/ });
    await assert.rejects(reset(rpc, "http://127.0.0.1:1", 1), { message: /^Cannot read the forked chain from/ });
    await assert.rejects(reset(rpc, rpc.url), { message: /it is served by this process/ });
    await assert.rejects(reset(rpc, data), { code: -32602, message: /expected a URL/ });
    assert.deepEqual([await number(rpc), await total(rpc)], [height, 13]);
    assert.equal(await stop(), 0);
    const plain = await start();
    await assert.rejects(reset(plain.rpc, undefined, 1), { code: -32602, message: /jsonRpcUrl says what to fork/ });
    assert.equal(await plain.stop(), 0);
  });

  it("asks no host that the command line does not name", async () => {
    const stranger = createServer((_, response) => response.end(SECRET));
    let requests = 0;
    stranger.on("request", () => requests++);
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const { port } = stranger.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    try {
      for (const options of [[], ["--fork", source.url]]) {
        const { rpc, stop } = await start(...options, "--fork.allow", "https://rpc.example.org");
        for (const jsonRpcUrl of [url, `${url}/latest/meta-data`, `${url}?${source.url}`, `http://localhost:${port}`]) {
          for (const method of ["hardhat_reset", "anvil_reset"]) {
            const refused = rpc.call(method, { forking: { jsonRpcUrl } });
            await assert.rejects(refused, { code: -32000, message: /may not fork http:.*--fork\.allow http:/ });
          }
        }
        await assert.rejects(reset(rpc, `http://${SECRET}@[`, 1), (error: Error) => !error.message.includes(SECRET));
        assert.equal(await stop(), 0);
      }
      assert.equal(requests, 0);
      // A host that is named by mistake reveals nothing of its answers.
      const { rpc, stop } = await start("--fork.allow", url);
      const failed: Error = await reset(rpc, `${url}/${SECRET}`).catch((error) => error);
      assert.match(failed.message, /^Cannot read the forked chain from http.*not JSON/);
      assert(!failed.message.includes(SECRET), failed.message);
      assert(requests > 0);
      assert.equal(await stop(), 0);
    } finally {
      stranger.close();
    }
    const invalid = await runCli("dev", "--fork.allow", "rpc.example.org");
    assert.match(invalid.stderr, /invalid value 'rpc\.example\.org' for --fork\.allow: expected origins/);
  });

  it("shows no key of an endpoint, and forks others of its host", async () => {
    const keyed = `${source.url}/v2/${SECRET}?token=${SECRET}`;
    const { rpc, output, stop } = await start("--fork", keyed, "--fork.allow", "https://rpc.example.org");
    const shown = `${source.url}/v2/***`;
    assert.equal((await rpc.call("anvil_nodeInfo")).forkConfig.forkUrl, shown);
    assert(!JSON.stringify(await rpc.call("hardhat_metadata")).includes(SECRET));
    assert.equal(await reset(rpc, `${source.url}/${SECRET}`, height - 2), true);
    assert.equal(await total(rpc), 5);
    const late: Error = await reset(rpc, keyed, height + 50).catch((error) => error);
    assert(late.message.includes(`Cannot read the forked chain from ${shown} (`), late.message);
    assert(!late.message.includes(SECRET), late.message);
    await until(async () => output().includes(`after block ${height - 2} `));
    assert.equal(await stop(), 0);
    assert(output().includes(`Fork of      ${shown}`));
    assert(!output().includes(SECRET), output());
    const nowhere = await runCli("dev", "--fork", `http://127.0.0.1:1/${SECRET}`, "--fork.block", "1");
    assert.equal(nowhere.status, 1);
    assert(!nowhere.stderr.includes(SECRET), nowhere.stderr);
  });

  it("has the gas limit that is asked for from the first block on", async () => {
    const { rpc, stop } = await start("--fork", source.url, "--gas-limit", "20000000");
    const limit = async () => Number((await rpc.call("eth_getBlockByNumber", "latest")).gasLimit);
    assert.equal(await limit(), 20_000_000);
    for (const forking of [{}, { blockNumber: height - 1 }, undefined]) {
      await rpc.call("hardhat_reset", { forking });
      await rpc.call("evm_mine");
      assert.equal(await limit(), 20_000_000);
    }
    assert.equal(await stop(), 0);
  });

  it("answers all requests while chains are replaced", async () => {
    const { rpc, stop } = await start();
    const resets = [0, 1, 2].map((below) => reset(rpc, source.url, height - below));
    const reads = Array.from({ length: 40 }, () => rpc.call("eth_getBlockByNumber", "latest", true));
    const calls = Array.from({ length: 40 }, () => rpc.call("eth_call", { data: "0x5f5f5260205ff3" }, "latest"));
    for (const block of await Promise.all(reads)) assert.match(block.hash, /^0x/);
    for (const output of await Promise.all(calls)) assert.equal(output, `0x${"00".repeat(32)}`);
    assert.deepEqual(await Promise.all(resets), [true, true, true]);
    assert.equal(await total(rpc), 5);
    assert.equal(await stop(), 0);
  });

  it("keeps what was read of each block on disk", async () => {
    const endpoint = await new FaultyEndpoint(() => source.url).open();
    endpoints.push(endpoint);
    const { rpc, stop } = await start();
    const totals = async () => {
      const found: number[] = [];
      for (const block of [height, height - 1, height - 2]) {
        await reset(rpc, endpoint.url, block);
        found.push(await total(rpc));
      }
      return found;
    };
    assert.deepEqual(await totals(), [20, 12, 5]);
    const asked = endpoint.requests;
    assert.deepEqual(await totals(), [20, 12, 5]);
    assert.equal(endpoint.requests, asked);
    assert.equal(await stop(), 0);
  });

  it("forks other blocks of a stopped node's database", async () => {
    await source.stop();
    const { rpc, stop } = await start("--fork", data);
    assert.equal(await total(rpc), 20);
    assert.equal(await reset(rpc, undefined, height - 2), true);
    assert.equal(await total(rpc), 5);
    assert.equal(await rpc.call("hardhat_reset"), true);
    assert.equal(await rpc.call("eth_getCode", counter, "latest"), "0x");
    assert.equal(await stop(), 0);
    const kept = folder();
    const first = await start("--fork", data, "--data-dir", kept);
    const [from] = await first.rpc.call("eth_accounts");
    await send(first.rpc, from, counter, add(1));
    assert.equal(await reset(first.rpc, data, height - 2), true);
    assert.equal(await total(first.rpc), 5);
    assert.equal(await first.stop(), 0);
    // The folder still has its chain.
    const second = await start("--fork", data, "--data-dir", kept);
    assert.equal(await total(second.rpc), 21);
    assert.equal(await second.stop(), 0);
  });
});
