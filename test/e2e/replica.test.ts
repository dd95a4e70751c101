import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { toQuantity } from "@cambium/primitives";
import { metricsAddress } from "@cambium/test-utils/clients/scraped-metrics";
import { WsClient } from "@cambium/test-utils/clients/ws-client";
import { COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { type RunningNode, runCli, startNode, THREADED } from "@cambium/test-utils/node-cli";
import { type Json, RpcClient, until } from "@cambium/test-utils/rpc-client";
import { Cluster, headOf } from "@cambium/test-utils/servers/cluster";
import { freePort } from "@cambium/test-utils/servers/free-port";
import { hasNatsServer } from "@cambium/test-utils/servers/nats-server";
import { id, Wallet } from "ethers";

/** Calls `add(1)` of the counter contract, which logs. */
const ADD_ONE = `${id("add(uint256)").slice(0, 10)}${"1".padStart(64, "0")}`;

/** Opens a subscription and collects its events. Rejects with the message of the node's error. */
async function subscribe(wsUrl: string, ...params: unknown[]): Promise<{ events: Json[]; close(): Promise<void> }> {
  const client = await WsClient.open(wsUrl);
  const events: Json[] = [];
  client.onNotification = (event) => events.push(event);
  const { error } = await client.call({ method: "eth_subscribe", params });
  if (error === undefined) return { events, close: () => client.end(true) };
  await client.end(true);
  throw new Error(error.message);
}

describe("replicas of a node", function () {
  this.timeout(300_000);
  let cluster: Cluster;

  before(function () {
    if (!hasNatsServer()) this.skip();
  });

  beforeEach(async () => {
    cluster = await Cluster.start();
  });

  afterEach(() => cluster?.remove());

  const startWriter = (...flags: string[]) => cluster.startWriter("writer", ["--mine", ...flags]);
  const start = (name: string, ...flags: string[]) => cluster.startReplica(name, flags);
  const copyWriter = (name: string) => cluster.backup("writer", name);

  /** The counter contract of a writer, and its first account. */
  async function deployCounter(rpc: RpcClient): Promise<{ from: string; counter: string }> {
    const [from] = await rpc.call("eth_accounts");
    const hash = await rpc.call("eth_sendTransaction", { from, data: COUNTER_CODE, gas: "0x100000" });
    return { from, counter: (await rpc.call("eth_getTransactionReceipt", hash)).contractAddress };
  }

  for (const { place, flags } of [
    { place: "the main thread", flags: [] },
    { place: "threads", flags: THREADED },
  ]) {
    it(`follow a node that imports in ${place} through blocks and reverts, and have the same tables`, async () => {
      const writer = await startWriter(...flags);
      const rpc = new RpcClient(writer.url, false);
      const { from, counter } = await deployCounter(rpc);
      await copyWriter("one");
      const add = () => rpc.call("eth_sendTransaction", { from, to: counter, data: ADD_ONE, gas: "0x20000" });
      await add();
      const one = await start("one");
      const replica = new RpcClient(one.url);
      await cluster.follows(one, writer);
      const logs = await subscribe(one.wsUrl!, "logs", { address: counter });
      const heads = await subscribe(one.wsUrl!, "newHeads");
      const filter = await replica.call("eth_newFilter", { address: counter });
      const snapshot = await rpc.call("evm_snapshot");
      const reverted = await rpc.call("eth_getTransactionReceipt", await add());
      await cluster.follows(one, writer);
      await rpc.call("evm_revert", snapshot);
      await rpc.call("evm_mine");
      await add();
      await cluster.follows(one, writer);
      await until(async () => logs.events.length === 3);
      assert.deepEqual(
        logs.events.map(({ removed, blockHash }) => [removed, blockHash === reverted.blockHash]),
        [
          [false, true],
          [true, true],
          [false, false],
        ],
      );
      const removals = (await replica.call("eth_getFilterChanges", filter)).map(({ removed }: Json) => removed);
      assert.deepEqual(removals, [false, true, false]);
      assert.equal(heads.events.at(-1).hash, await headOf(writer));
      for (const question of [
        ["eth_getBalance", from, "latest"],
        ["eth_getTransactionCount", from, "pending"],
        ["eth_getLogs", { address: counter, fromBlock: "0x0" }],
        ["eth_call", { to: counter, data: id("total()").slice(0, 10) }, "latest"],
        ["trace_block", "latest"],
        ["eth_getProof", counter, [], "latest"],
      ] as const) {
        const [method, ...params] = question;
        assert.deepEqual(await replica.call(method, ...params), await rpc.call(method, ...params), method);
      }
      for (const { close } of [logs, heads]) await close();
      await cluster.endEqual();
    });
  }

  it("forward transactions, and say which requests they do not serve", async () => {
    const writer = await startWriter();
    const rpc = new RpcClient(writer.url, false);
    await copyWriter("one");
    const one = await start("one", "--metrics.port", "0");
    const replica = new RpcClient(one.url, false);
    const [, rich] = await rpc.call("eth_accounts");
    const wallet = Wallet.createRandom();
    await rpc.call("eth_sendTransaction", { from: rich, to: wallet.address, value: "0xde0b6b3a7640000" });
    await cluster.follows(one, writer);
    const price = await replica.call("eth_gasPrice");
    const transaction = { type: 0, chainId: 33, nonce: 0, gasLimit: 21_000, gasPrice: price, to: rich, value: 5 };
    const hash = await replica.call("eth_sendRawTransaction", await wallet.signTransaction(transaction));
    await until(async () => (await replica.call("eth_getTransactionReceipt", hash)) !== null);
    assert.equal(await replica.call("eth_getTransactionCount", wallet.address, "pending"), "0x1");
    assert.match((await replica.call("mnr_getWork")).blockHashForMergedMining, /^0x/);
    const batch = [
      { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] },
      { jsonrpc: "2.0", id: 2, method: "txpool_status", params: [] },
      { jsonrpc: "2.0", id: 3, method: "evm_mine", params: [] },
    ];
    const headers = { "content-type": "application/json" };
    const answers = await (await fetch(one.url, { method: "POST", headers, body: JSON.stringify(batch) })).json();
    assert.deepEqual(
      (answers as Json[]).map(({ id: own, error }) => [own, error?.code]),
      [
        [1, undefined],
        [2, undefined],
        [3, -32601],
      ],
    );
    const ready = `${metricsAddress(one.greeting)}/ready`;
    await until(async () => (await fetch(ready)).status === 200);
    await writer.stop();
    await assert.rejects(replica.call("eth_gasPrice"), { code: -32002 });
    assert.match(await replica.call("eth_blockNumber"), /^0x/);
    await cluster.nats.kill();
    await until(async () => (await fetch(ready)).status === 503);
    await cluster.nats.restart();
    await until(async () => (await fetch(ready)).status === 200);
  });

  it("know the pending transactions of the writer, announce each once, and wait for work", async () => {
    const writer = await startWriter("--miner.server");
    const rpc = new RpcClient(writer.url, false);
    await copyWriter("one");
    const one = await start("one");
    const replica = new RpcClient(one.url, false);
    const [from] = await rpc.call("eth_accounts");
    const [hashes, wholes, work, writersHashes] = await Promise.all([
      subscribe(one.wsUrl!, "newPendingTransactions"),
      subscribe(one.wsUrl!, "newPendingTransactions", true),
      subscribe(one.wsUrl!, "work"),
      subscribe(writer.wsUrl!, "newPendingTransactions"),
    ]);
    const filter = await replica.call("eth_newPendingTransactionFilter");
    const wholeFilter = await replica.call("eth_newPendingTransactionFilter", true);
    await rpc.call("evm_setAutomine", false);
    const send = (nonce: number) =>
      rpc.call("eth_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208", nonce: toQuantity(nonce) });
    const sent = [await send(0), await send(1)];
    const queued = await send(3);
    const questions = [
      ...[...sent, queued].map((hash) => ["eth_getTransactionByHash", hash]),
      ...["txpool_status", "txpool_content", "txpool_inspect"].map((method) => [method]),
      ["txpool_contentFrom", from],
    ] as [string, ...unknown[]][];
    const same = async () => {
      for (const [method, ...params] of questions) {
        assert.deepEqual(await replica.call(method, ...params), await rpc.call(method, ...params), method);
      }
    };
    await until(async () => (await replica.call("txpool_status")).queued === 1);
    await same();
    await until(async () => work.events.length > 0);
    await cluster.nats.kill();
    const missed = await send(2);
    await cluster.nats.restart();
    await until(async () => hashes.events.length === 4);
    await same();
    assert.deepEqual([...hashes.events].sort(), [...sent, missed, queued].sort());
    assert.deepEqual(writersHashes.events, [...sent, missed, queued]);
    assert.deepEqual(
      wholes.events.map(({ hash }) => hash),
      hashes.events,
    );
    assert.deepEqual(await replica.call("eth_getFilterChanges", filter), hashes.events);
    assert.deepEqual(await replica.call("eth_getFilterChanges", wholeFilter), wholes.events);
    await rpc.call("evm_mine");
    await cluster.follows(one, writer);
    await until(async () => (await replica.call("txpool_status")).pending === 0);
    await same();
    await writer.stop("SIGKILL");
    await assert.rejects(
      async () => {
        for (;;) await replica.call("txpool_status");
      },
      { code: -32002 },
    );
    for (const { close } of [hashes, wholes, work]) await close();
  });

  it("show a client no less than it has seen elsewhere, and say so if they cannot", async () => {
    const writer = await startWriter();
    await copyWriter("one");
    const one = await start("one", "--rpc.readers", "1");
    const rpc = new RpcClient(writer.url, false);
    const [from] = await rpc.call("eth_accounts");
    const ask = async (node: RunningNode, method: string, token?: string) => {
      const headers = { "content-type": "application/json", ...(token && { "x-head": token }) };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
      const response = await fetch(node.url, { method: "POST", headers, body });
      const { result, error } = (await response.json()) as Json;
      return { status: response.status, result, error, token: response.headers.get("x-head")! };
    };
    for (let round = 1; round <= 20; round++) {
      await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208" });
      const { result, token } = await ask(writer, "eth_blockNumber");
      const seen = await ask(one, "eth_blockNumber", token);
      assert.deepEqual([seen.result, seen.token], [result, token]);
    }
    const never = `7-0x${"ab".repeat(32)}`;
    const refusals: Promise<unknown>[] = [];
    for (const url of [one.wsUrl!, one.url.replace("http", "ws")]) {
      const { token: seen } = await ask(writer, "eth_blockNumber");
      const client = await WsClient.open(`${url}/?head=${seen}`);
      const request = (head?: string) => ({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [], head });
      for (let round = 1; round <= 10; round++) {
        await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208" });
        const { result, token } = await ask(writer, "eth_blockNumber");
        const answer = await client.send(JSON.stringify(request(token)));
        assert.deepEqual([answer.result, answer.head], [result, token]);
        const answers = await client.send(JSON.stringify([request(), request(token)]));
        assert.deepEqual(
          answers.map(({ head }: Json) => head),
          [undefined, token],
        );
      }
      const refused = async () => {
        const behind = await client.send(JSON.stringify([request(), request(never)]));
        assert.deepEqual(
          behind.map(({ id: own, error }: Json) => [own, error.code]),
          [
            [1, -32007],
            [1, -32007],
          ],
        );
        await client.end(true);
      };
      refusals.push(refused(), assert.rejects(WsClient.open(`${url}/?head=${never}`), /503/));
      await assert.rejects(WsClient.open(`${url}/?head=latest`), /400/);
      const unasked = await WsClient.open(url);
      assert.equal((await unasked.call({ method: "eth_blockNumber", params: [] })).head, undefined);
      await unasked.end(true);
    }
    const [unknown] = await Promise.all([ask(one, "eth_blockNumber", never), ...refusals]);
    assert.deepEqual([unknown.status, unknown.error.code], [503, -32007]);
    const malformed = await ask(one, "eth_blockNumber", "latest");
    assert.deepEqual([malformed.status, malformed.error.code], [400, -32600]);
  });

  it("fetch the writer's database if they have none, and again if the stream no longer continues theirs", async () => {
    const flags = ["--replicate.copies", "24"];
    const [http, metrics] = [await freePort(), await freePort()];
    const ports = ["--http.port", String(http), "--metrics.port", String(metrics)];
    const starting = start("one", "--from.replace", ...ports);
    const reply = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    await until(async () => /the writer has not made one/.test((await (await reply(http, "/"))?.text()) ?? ""));
    const replies = [await reply(http, "/"), await reply(http, "/dashboard/"), await reply(metrics, "/ready")];
    assert.deepEqual(
      replies.map((one) => one?.status),
      [503, 200, 503],
    );
    const writer = await startWriter(...flags);
    const { from } = await deployCounter(new RpcClient(writer.url, false));
    const one = await starting;
    await cluster.follows(one, writer);
    await writer.stop();
    const later = await startNode(...cluster.flags("writer"), "--mine");
    await deployCounter(new RpcClient(later.url, false));
    await later.stop();
    const again = await startWriter(...flags);
    await new RpcClient(again.url, false).call("eth_sendTransaction", { from, to: from, value: "0x1" });
    const head = await headOf(again);
    await until(async () => (await headOf(one).catch(() => "")) === head);
    await cluster.endEqual();
    assert.deepEqual(readdirSync(cluster.data("one")), ["chain"]);
  });

  it("refuse a database that the stream does not continue, and say what to do", async () => {
    const writer = await startWriter("--replicate.stream", "first");
    await copyWriter("one");
    await writer.stop();
    const later = await startNode(...cluster.flags("writer"), "--mine");
    await deployCounter(new RpcClient(later.url, false));
    await later.stop();
    const again = await startWriter("--replicate.stream", "first");
    await deployCounter(new RpcClient(again.url, false));
    const flags = ["--http.port", "0", "--ws.port", "0", "--from", cluster.url, "--from.stream", "first"];
    const { status, stderr } = await runCli("replica", ...cluster.flags("one"), ...flags);
    assert.equal(status, 1);
    assert.match(stderr, /node-cli db backup/);
  });
});
