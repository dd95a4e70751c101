import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WsClient } from "@cambium/test-utils/clients/ws-client";
import { type RunningNode, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { type Json, RpcClient, until } from "@cambium/test-utils/rpc-client";

const READERS = 3;
const REQUESTS_IN_WINDOW = 40;

/** Sends a text over a separate connection, and returns the response as text. */
async function post(url: string, text: string): Promise<{ status: number; body: string }> {
  const headers = { "content-type": "application/json", connection: "close" };
  const response = await fetch(url, { method: "POST", headers, body: text });
  return { status: response.status, body: await response.text() };
}

function request(method: string, params: readonly unknown[] = [], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

describe("a node with reader threads", () => {
  const folder = mkdtempSync(join(tmpdir(), "cambium-"));
  let node: RunningNode;
  let rpc: RpcClient;
  let from: string;
  let mined: Json;

  before(async () => {
    node = await startNode("--network", "local", "--mine", "--data-dir", folder, "--rpc.readers", String(READERS));
    rpc = new RpcClient(node.url);
    [from] = await rpc.call("eth_accounts");
    mined = await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1" });
  });

  after(async () => {
    assert.equal(await node.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  it("answers every request as the main thread would, whichever thread has the connection", async () => {
    const block = await rpc.call("eth_getBlockByNumber", "latest", true);
    assert.equal(block.transactions[0].hash, mined);
    const cases: [text: string, expected: RegExp][] = [
      [request("eth_blockNumber"), /"result":"0x1"/],
      [request("eth_getBalance", [from, "pending"]), /"result":"0x/],
      [request("eth_getTransactionByHash", [mined]), /"blockNumber":"0x1"/],
      [request("eth_getTransactionByHash", [`0x${"11".repeat(32)}`]), /"result":null/],
      [request("eth_call", [{ from, to: from }, "latest"]), /"result":"0x"/],
      [request("txpool_status"), /"pending":/],
      [request("eth_newBlockFilter"), /"result":"0x/],
      [request("eth_unknown", [], "a"), /"id":"a".*-32601/],
      [request("eth_subscribe", ["newHeads"]), /-32601/],
      [request("eth_getBlockByNumber", ["0x"]), /-32602/],
      [
        '{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_getBalance","params":[1,"latest"]}',
        /"id":12345678901234567890/,
      ],
      [`[${request("eth_chainId")},${request("txpool_status", [], 2)},7]`, /^\[.*"id":1.*"id":2.*-32600/],
      ["[]", /-32600/],
      ["{", /-32700/],
    ];
    for (const [text, expected] of cases) {
      const answers = await Promise.all(Array.from({ length: 12 }, () => post(node.url, text)));
      for (const { body } of answers) assert.match(body, expected);
    }
    const { status, body } = await post(node.url, '{"jsonrpc":"2.0","method":"eth_blockNumber","params":[]}');
    assert.deepEqual([status, body], [204, ""]);
  });

  it("finds a block, its receipt and its logs on each connection once the transaction is answered", async () => {
    for (let i = 0; i < 5; i++) {
      const hash = await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1" });
      const receipts = await Promise.all(
        Array.from({ length: 8 }, () => post(node.url, request("eth_getTransactionReceipt", [hash]))),
      );
      for (const { body } of receipts) assert.equal(JSON.parse(body).result?.transactionHash, hash);
    }
  });

  it("serves WebSocket on the same port, with subscriptions and other methods in one batch", async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => WsClient.open(node.url.replace("http", "ws"))));
    for (const client of clients) {
      const batch = `[${request("eth_subscribe", ["newHeads"])},${request("txpool_status", [], 2)},${request("eth_chainId", [], 3)}]`;
      const answers: Json[] = await client.send(batch);
      assert.deepEqual(
        answers.map(({ id, result }) => [id, result !== undefined]),
        [1, 2, 3].map((id) => [id, true]),
      );
      assert.match((await client.call({ method: "eth_subscribe", params: ["newPendingTransactions"] })).result, /^0x/);
    }
    await rpc.call("eth_sendTransaction", { from, to: from, value: "0x1" });
    // Each client gets a head and a pending transaction.
    await until(async () => clients.every(({ notifications }) => notifications === 2));
    for (const client of clients) await client.end(true);
  });

  it("sends new work to miners, whichever thread has the connection", async () => {
    const clients = await Promise.all(Array.from({ length: 6 }, () => WsClient.open(node.url.replace("http", "ws"))));
    for (const client of clients) await client.call({ method: "eth_subscribe", params: ["work"] });
    await rpc.call("evm_mine");
    await until(async () => clients.every(({ notifications }) => notifications > 0));
    for (const client of clients) await client.end(true);
  });

  it("counts the requests of all threads for the rate limit", async () => {
    await withFolder(async (own) => {
      const flags = ["--rpc.readers", String(READERS), "--rpc.limit", String(REQUESTS_IN_WINDOW)];
      const limited = await startNode("--network", "local", "--data-dir", own, ...flags);
      const all = 4 * REQUESTS_IN_WINDOW;
      const start = Date.now();
      const answers = await Promise.all(Array.from({ length: all }, () => post(limited.url, request("eth_chainId"))));
      const windows = Math.floor(Date.now() / 1000) - Math.floor(start / 1000) + 1;
      const served = answers.filter(({ status }) => status === 200).length;
      assert(served <= windows * REQUESTS_IN_WINDOW, `${served} requests in ${windows} windows`);
      assert.equal(answers.filter(({ status }) => status === 429).length, all - served);
      assert.equal(await limited.stop(), 0);
    });
  });
});
