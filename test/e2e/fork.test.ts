import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { type RunningNode, runCli, startNode } from "@cambium/test-utils/node-cli";
import { type Json, RpcClient, until } from "@cambium/test-utils/rpc-client";
import { type Dev, startDev } from "./dev-process.js";
import { type EndpointMode, FaultyEndpoint } from "./faulty-endpoint.js";
import {
  add,
  BRIDGE,
  BRIDGE_DATA,
  COUNTER,
  EMPTY,
  FUNDED,
  HASHER_CODE,
  outcomesOf,
  REWARD,
  UNKNOWN,
  wordOf,
} from "./forked-contracts.js";

/** The first account of `node-cli dev`. */
const FIRST = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

const TOTAL = COUNTER.encodeFunctionData("total");
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

/** Whether the log of a database has a block. Changes are written some milliseconds after they become readable. */
function isLogged(database: string, hash: string): boolean {
  const logs = readdirSync(database).filter((name) => name.endsWith(".log"));
  return logs.some((name) => readFileSync(join(database, name)).includes(Buffer.from(hash.slice(2), "hex")));
}

/** Tests a chain on the state of another one. */
describe("node-cli dev --fork", () => {
  const folders: string[] = [];
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), "cambium-fork-"));
    folders.push(made);
    return made;
  };
  const running: Dev[] = [];
  let source: RunningNode;
  let origin: RpcClient;
  let config: string;
  let data: string;
  let cache: string;
  let counter: string;
  let hasher: string;
  let deployment: string;
  let deploymentTraces: Json;
  let height: number;

  const forkOf = async (what: string, ...options: string[]) => {
    const fork = await startDev(
      "--fork",
      what,
      ...(options.includes("--fork.cache") ? [] : ["--fork.cache", cache]),
      ...options,
    );
    running.push(fork);
    return fork;
  };
  const send = async (rpc: RpcClient, from: string, to: string | undefined, input: string): Promise<Json> => {
    const request = { from, ...(to === undefined ? {} : { to }), data: input, gas: "0x40000" };
    return rpc.call("eth_getTransactionReceipt", await rpc.call("eth_sendTransaction", request));
  };
  const contracts = () => ({ counter, hasher });
  const traces = (rpc: RpcClient) =>
    Promise.all(["debug_traceTransaction", "trace_transaction"].map((method) => rpc.call(method, deployment)));
  const total = async (rpc: RpcClient, block = "latest") =>
    Number(await rpc.call("eth_call", { to: counter, data: TOTAL }, block));

  before(async () => {
    const file = join(folder(), "rpc.json");
    writeFileSync(file, JSON.stringify({ timeout: 300_000, modules: { chain: { disabledMethods: [] } } }));
    config = file;
    data = folder();
    cache = folder();
    source = await startNode("--network", "local", "--data-dir", data, "--mine", "--rpc.config", config);
    origin = new RpcClient(source.url);
    const created = await send(origin, FUNDED, undefined, COUNTER_CODE);
    [counter, deployment] = [created.contractAddress, created.transactionHash];
    await send(origin, FUNDED, counter, add(5));
    hasher = (await send(origin, FUNDED, undefined, HASHER_CODE)).contractAddress;
    await origin.call("hardhat_setBalance", EMPTY, "0x0");
    for (let i = 0; i < 4; i++) await origin.call("evm_mine");
    await send(origin, FUNDED, counter, add(7));
    height = Number(await origin.call("eth_blockNumber"));
    deploymentTraces = await traces(origin);
  });
  after(async () => {
    for (const fork of running) await fork.stop();
    await source.stop();
    for (const one of folders) rmSync(one, { recursive: true });
  });

  /** Checks reads that must be the same with both kinds of source. */
  const sameReads = async (rpc: RpcClient) => {
    for (const address of [FUNDED, counter, hasher, EMPTY, UNKNOWN, BRIDGE, REWARD]) {
      for (const method of ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"]) {
        assert.deepEqual(
          await rpc.call(method, address, "latest"),
          await origin.call(method, address, "latest"),
          address,
        );
      }
      const call = { to: hasher, data: wordOf(address) };
      assert.equal(await rpc.call("eth_call", call, "latest"), await origin.call("eth_call", call, "latest"), address);
    }
    for (const slot of ["0x0", "0x1"]) {
      const params = [counter, slot, "latest"];
      assert.equal(await rpc.call("eth_getStorageAt", ...params), await origin.call("eth_getStorageAt", ...params));
    }
    for (const input of BRIDGE_DATA) {
      const call = { to: BRIDGE, data: input };
      assert.equal(await rpc.call("eth_call", call, "latest"), await origin.call("eth_call", call, "latest"));
    }
    assert.equal(await total(rpc), 12);
    // BLOCKHASH of the last block and of the first one. The zero before it makes any hash valid as created code.
    for (const number of [height - 1, 0]) {
      const call = { data: `0x60${number.toString(16).padStart(2, "0")}4060015260215ff3` };
      const { hash } = await origin.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      assert.equal(await rpc.call("eth_call", call, "latest"), `0x00${hash.slice(2)}`);
    }
    const proof = rpc.call("eth_getProof", counter, [], "latest");
    await assert.rejects(proof, { code: -32000, message: /^Not supported: / });
  };
  const sameBlocks = async (rpc: RpcClient) => {
    for (const number of [0, 1, height - 1, height]) {
      const own = await rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      const theirs = await origin.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      assert.deepEqual(
        [own.hash, own.receiptsRoot, own.totalDifficulty],
        [theirs.hash, theirs.receiptsRoot, theirs.totalDifficulty],
      );
      const byHash = await rpc.call("eth_getBlockByHash", theirs.hash, true);
      assert.equal(byHash.number, theirs.number);
    }
    for (const method of ["eth_getTransactionReceipt", "eth_getTransactionByHash"]) {
      assert.deepEqual(await rpc.call(method, deployment), await origin.call(method, deployment));
    }
    assert.equal(await rpc.call("eth_getBlockByHash", word(1), false), null);
    assert.equal(await rpc.call("eth_getTransactionReceipt", word(1)), null);
  };
  const sameEarlierStates = async (rpc: RpcClient) => {
    for (const number of [0, 1, 2, height - 1]) {
      const at = `0x${number.toString(16)}`;
      for (const address of [FUNDED, counter, hasher, EMPTY, UNKNOWN, BRIDGE]) {
        for (const method of ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"]) {
          assert.deepEqual(await rpc.call(method, address, at), await origin.call(method, address, at), address);
        }
      }
      const params = [counter, "0x0", at];
      assert.equal(await rpc.call("eth_getStorageAt", ...params), await origin.call("eth_getStorageAt", ...params));
      for (const input of BRIDGE_DATA) {
        const call = { to: BRIDGE, data: input };
        assert.equal(await rpc.call("eth_call", call, at), await origin.call("eth_call", call, at));
      }
    }
    assert.deepEqual([await total(rpc, "0x2"), await total(rpc, `0x${(height - 1).toString(16)}`)], [5, 5]);
    assert.deepEqual(await traces(rpc), deploymentTraces);
    const sent = [FUNDED, "0x1"];
    assert.deepEqual(
      await rpc.call("eth_getTransactionBySenderAndNonce", ...sent),
      await origin.call("eth_getTransactionBySenderAndNonce", ...sent),
    );
  };
  /** Changes a forked chain in all ways, and reverts the changes. */
  const changes = async (rpc: RpcClient) => {
    const first = await send(rpc, FIRST, counter, add(30));
    assert.deepEqual([first.status, Number(first.blockNumber)], ["0x1", height + 1]);
    assert.equal(await total(rpc), 42);
    assert.equal(await total(rpc, `0x${height.toString(16)}`), 12);
    const logs = await rpc.call("eth_getLogs", { fromBlock: "0x0", address: counter });
    assert.deepEqual(
      logs.map((log: Json) => Number(log.data)),
      [5, 12, 42],
    );
    const theirs = await origin.call("eth_getLogs", {
      fromBlock: "0x0",
      toBlock: `0x${height.toString(16)}`,
      address: counter,
    });
    assert.deepEqual(logs.slice(0, 2), theirs);
    const trace = await rpc.call("debug_traceTransaction", first.transactionHash);
    assert.equal(trace.failed, false);

    const snapshot = await rpc.call("evm_snapshot");
    await rpc.call("hardhat_setStorageAt", counter, "0x0", word(3));
    assert.equal(await total(rpc), 3);
    await rpc.call("hardhat_impersonateAccount", counter);
    await rpc.call("hardhat_setBalance", counter, "0xde0b6b3a7640000");
    const sent = await rpc.call("eth_sendTransaction", { from: counter, to: EMPTY, value: "0x1" });
    assert.equal((await rpc.call("eth_getTransactionReceipt", sent)).status, "0x1");
    assert.equal(await rpc.call("eth_getBalance", EMPTY, "latest"), "0x1");
    assert.equal(await rpc.call("evm_revert", snapshot), true);
    assert.equal(await total(rpc), 42);
    assert.equal(await rpc.call("eth_getBalance", EMPTY, "latest"), "0x0");

    // The forked account's own key also works, from its nonce on.
    const nonce = await rpc.call("eth_getTransactionCount", FUNDED, "latest");
    await rpc.call("hardhat_impersonateAccount", FUNDED);
    const second = await send(rpc, FUNDED, counter, add(2));
    assert.equal((await rpc.call("eth_getTransactionByHash", second.transactionHash)).nonce, nonce);
    assert.equal(await total(rpc), 44);

    assert.equal(await rpc.call("hardhat_reset", { forking: {} }), true);
    assert.equal(Number(await rpc.call("eth_blockNumber")), height);
    assert.equal(await total(rpc), 12);
  };

  it("reads the state, blocks and logs of an endpoint, and continues from them", async () => {
    const fork = await forkOf(source.url);
    assert.match(fork.output(), new RegExp(`after block ${height} `));
    assert.equal(Number(await fork.rpc.call("eth_blockNumber")), height);
    await sameReads(fork.rpc);
    await sameBlocks(fork.rpc);
    await sameEarlierStates(fork.rpc);
    await changes(fork.rpc);
    assert.equal(Number(await origin.call("eth_blockNumber")), height);

    const { hash } = await origin.call("eth_getBlockByNumber", `0x${height.toString(16)}`, false);
    const { forkConfig } = await fork.rpc.call("anvil_nodeInfo");
    assert.deepEqual([forkConfig.forkUrl, forkConfig.forkBlockNumber], [source.url, height]);
    const { forkedNetwork } = await fork.rpc.call("hardhat_metadata");
    assert.deepEqual(forkedNetwork, { chainId: 33, forkBlockNumber: height, forkBlockHash: hash });
    const same = { forking: { jsonRpcUrl: source.url, blockNumber: height } };
    assert.equal(await fork.rpc.call("hardhat_reset", same), true);
    await fork.stop();
  });

  it("has no peers, on any wire", async () => {
    const folder = join(data, "with-peers");
    const fork = await forkOf(source.url, "--data-dir", folder);
    await fork.stop();
    for (const flags of [["--p2p"], ["--p2p.port", "0"], ["--p2p.wires", "rlpx"]]) {
      const network = ["--network", join(folder, "network.json"), "--data-dir", folder];
      const refused = await runCli("start", ...network, "--http.port", "0", "--ws.port", "0", ...flags);
      assert.equal(refused.status, 1, refused.stdout);
      assert.match(refused.stderr, /a fork has no peers, because its blocks are invalid for all others/);
    }
  });

  it("fails what needs a value that the endpoint does not deliver, and loses nothing", async () => {
    const endpoint = await new FaultyEndpoint(() => source.url).open();
    const fork = await forkOf(endpoint.url, "--fork.cache", folder());
    const { rpc } = fork;
    await rpc.call("eth_getBlockByNumber", "0x2", false);
    const reads: [EndpointMode, RegExp][] = [
      ["error", /Cannot read the forked chain from http.*eth_getBalance.*refuses the request \(code -32000\)/],
      ["garbage", /Cannot read the forked chain from http.*not JSON \(HTTP status 200\)/],
      ["wrong", /Cannot read the forked chain from http.*answer is wrong/],
    ];
    for (const [mode, message] of reads) {
      endpoint.mode = mode;
      const failure: Error = await rpc.call("eth_getBalance", FUNDED, "latest").catch((error) => error);
      await assert.rejects(Promise.reject(failure), { code: -32000, message });
      assert(!/missing trie node|html|surprise/.test(failure.message), failure.message);
      await assert.rejects(rpc.call("eth_call", { to: counter, data: TOTAL }, "latest"), { code: -32000 });
      const earlier = rpc.call("eth_getBalance", FUNDED, "0x2");
      await assert.rejects(earlier, { code: -32000, message: /eth_getBalance after block 2|not JSON|answer is wrong/ });
    }
    const request = { from: FIRST, to: counter, data: add(1), gas: "0x40000" };
    const sent = rpc.call("eth_sendTransaction", request).catch((error: Error) => error);
    const failed = await sent;
    const best = () => rpc.call("eth_blockNumber").then(Number);
    assert.equal(await best(), height);
    endpoint.mode = "slow";
    const hash = typeof failed === "string" ? failed : await rpc.call("eth_sendTransaction", request);
    await rpc.call("evm_mine");
    assert.equal((await rpc.call("eth_getTransactionReceipt", hash)).status, "0x1");
    assert.equal(await total(rpc), 13);
    assert.equal(
      await rpc.call("eth_getBalance", FUNDED, "latest"),
      await origin.call("eth_getBalance", FUNDED, "latest"),
    );

    await endpoint.close();
    const number = await best();
    await assert.rejects(rpc.call("eth_getCode", hasher, "latest"), { code: -32000, message: /fetch failed/ });
    // Earlier reads are still available.
    const second = await send(rpc, FIRST, counter, add(1));
    assert.deepEqual([second.status, Number(second.blockNumber)], ["0x1", number + 1]);
    await endpoint.open();
    endpoint.mode = "normal";
    assert.equal(await rpc.call("eth_getCode", hasher, "latest"), await origin.call("eth_getCode", hasher, "latest"));
    await fork.stop();
    await endpoint.close();
  });

  it("needs no endpoint for what it has read, after a new start and after a crash", async () => {
    const endpoint = await new FaultyEndpoint(() => source.url).open();
    const kept = folder();
    const options = ["--fork.cache", folder(), "--fork.block", `${height}`];
    const first = await forkOf(endpoint.url, ...options);
    assert.equal(await total(first.rpc), 12);
    await send(first.rpc, FIRST, counter, add(30));
    await first.stop();
    const asked = endpoint.requests;
    // There are four requests for each of the ten accounts, some for the block, and some for the reads; none for older
    // blocks.
    assert(asked < 100, `${asked} requests`);
    const second = await forkOf(endpoint.url, ...options, "--data-dir", kept);
    assert.equal(await total(second.rpc), 12);
    await send(second.rpc, FIRST, counter, add(30));
    assert.equal(endpoint.requests, asked);
    await endpoint.close();
    const { hash } = await second.rpc.call("eth_getBlockByNumber", "latest", false);
    await until(async () => isLogged(join(kept, "chain"), hash));
    second.process.kill("SIGKILL");
    await second.stop();

    const third = await forkOf(endpoint.url, "--data-dir", kept);
    assert.equal((await third.rpc.call("eth_getBlockByNumber", "latest", false)).hash, hash);
    assert.equal(await total(third.rpc), 42);
    assert.equal(await third.rpc.call("hardhat_reset", { forking: { blockNumber: height } }), true);
    assert.equal(await total(third.rpc), 12);
    assert.equal((await send(third.rpc, FIRST, counter, add(1))).status, "0x1");
    await third.stop();
    const checked = await runCli("db", "check", "--deep", "--network", join(kept, "network.json"), "--data-dir", kept);
    assert.equal(checked.status, 0, checked.stdout);
    const state = await runCli("dev", "--fork", source.url, "--state", join(kept, "state"));
    assert.match(state.stderr, /--state requires a chain whose accounts can be listed/);
    const alone = await runCli("dev", "--fork.block", "1");
    assert.match(alone.stderr, /--fork.block requires --fork/);
    const late = await runCli("dev", "--fork", source.url, "--fork.block", "999", "--fork.cache", kept);
    assert.match(late.stderr, /block 999 is unknown: the best block of the endpoint is/);
    const other = await runCli("dev", "--fork", source.url, "--data-dir", kept, "--http.port", "0");
    assert.match(other.stderr, /which the data folder contains/);
  });

  it("repairs the database of a fork, whose source it still reads", async () => {
    const kept = folder();
    const command = ["--network", join(kept, "network.json"), "--data-dir", kept];
    const first = await forkOf(source.url, "--data-dir", kept);
    await send(first.rpc, FIRST, counter, add(30));
    await first.rpc.call("hardhat_mine", "0x64");
    await first.stop();
    const [log] = readdirSync(join(kept, "chain")).filter((name) => name.endsWith(".log"));
    const bytes = readFileSync(join(kept, "chain", log!));
    const middle = Math.floor(bytes.length / 2);
    bytes.fill(0x5a, middle, middle + 100);
    writeFileSync(join(kept, "chain", log!), bytes);
    const refused = await runCli("db", "check", "--deep", ...command);
    assert.match(refused.stderr, /is damaged.*repair it with "node-cli db repair/);
    const repaired = await runCli("db", "repair", ...command);
    assert.equal(repaired.status, 0, repaired.stderr);
    assert.match(repaired.stdout, /best block \d+ .*; later blocks of the fork are lost/);
    assert.equal((await runCli("db", "check", "--deep", ...command)).status, 0);
    const second = await forkOf(source.url, "--data-dir", kept);
    assert(Number(await second.rpc.call("eth_blockNumber")) > height);
    assert.equal(await total(second.rpc), 42);
    assert.equal((await send(second.rpc, FIRST, counter, add(1))).status, "0x1");
    await second.stop();
  });

  it("reads the database of a stopped node", async () => {
    const copy = folder();
    await source.stop();
    cpSync(data, copy, { recursive: true });
    const file = join(folder(), "rpc.json");
    // Blocks are read as JSON objects if the endpoint has no raw ones.
    const modules = { chain: { disabledMethods: [] }, debug: { enabled: false } };
    writeFileSync(file, JSON.stringify({ timeout: 300_000, modules }));
    source = await startNode("--network", "local", "--data-dir", copy, "--mine", "--rpc.config", file);
    origin = new RpcClient(source.url);
    const fork = await forkOf(data);
    await sameReads(fork.rpc);
    await sameBlocks(fork.rpc);
    await sameEarlierStates(fork.rpc);
    await changes(fork.rpc);
    const dump = await fork.rpc.call("anvil_dumpState");
    const accounts = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), "hex")).toString()).accounts;
    assert.equal(Number(accounts[counter].storage[word(0)]), 12);
    assert.equal(accounts[FIRST].balance, "0x21e19e0c9bab2400000");
    await fork.stop();

    const busy = await runCli("dev", "--fork", copy, "--http.port", "0");
    assert.equal(busy.status, 1);
    assert.match(busy.stderr, /use|another process/);
    const missing = await runCli("dev", "--fork", folder(), "--http.port", "0");
    assert.equal(missing.status, 1);
    assert.match(missing.stderr, /no database in/);
  });

  it("executes transactions as the forked chain does", async () => {
    const forks = [await forkOf(data), await forkOf(source.url, "--fork.cache", folder())];
    await sameBlocks(forks[1]!.rpc);
    for (const { rpc } of forks) await rpc.call("hardhat_impersonateAccount", FUNDED);
    const expected = await outcomesOf(origin, contracts());
    assert(expected.some(({ status }) => status === "0x0") && expected.some(({ logs }) => logs.length > 0));
    for (const { rpc } of forks) assert.deepEqual(await outcomesOf(rpc, contracts()), expected);
    // The forked chain has grown in the meantime; a fork of the same block has not.
    const again = await forkOf(source.url, "--fork.block", `${height}`, "--fork.cache", folder());
    assert.equal(await total(again.rpc), 12);
    await again.rpc.call("hardhat_impersonateAccount", FUNDED);
    assert.deepEqual(await outcomesOf(again.rpc, contracts()), expected);
    for (const { stop } of [...forks, again]) await stop();
  });
});
