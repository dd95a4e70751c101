import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { type ChainEvent, storedBlock } from "@cambium/chain";
import { main } from "@cambium/config";
import type { Work } from "@cambium/miner";
import { toData } from "@cambium/primitives";
import { CONTRACT, FakeChain, makeLog, TOPIC_A, TOPIC_B } from "@cambium/test-utils/api/fake-chain";
import { fakeMiner } from "@cambium/test-utils/api/fake-miner";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { freePort } from "@cambium/test-utils/servers/free-port";
import type { Block } from "@cambium/types";
import { OWN_MACHINE, type WsConfig } from "../src/config.js";
import { DEFAULT_RPC_CONFIG, type RpcConfig, type RpcServerOptions } from "../src/index.js";
import { JSON_HEADERS, post, send } from "./support/http-client.js";
import { config, SILENT, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

/** Source of the servers' events. */
class News {
  private readonly chainListeners = new Set<(event: ChainEvent) => void>();
  /** Log messages of the server. */
  readonly logged: string[] = [];
  readonly pool = new FakePool();
  readonly workListeners = new Set<(work: Work) => void>();

  constructor(
    readonly chain: FakeChain,
    private readonly servesWork = true,
  ) {}

  /** Adds a new best block. */
  extend(...logs: Parameters<FakeChain["extend"]>): void {
    this.announce(this.chain.extend(...logs));
  }

  /** Number of reads of a new best block; subscriptions to heads cause one more. */
  async blockReads(): Promise<number> {
    let reads = 0;
    const block = this.chain.extend();
    const get = () => {
      reads++;
      return block;
    };
    this.announce(block, (event) => Object.defineProperty(event, "block", { get }));
    // Notifications of earlier blocks come first, in at least one step a turn.
    for (let i = 0; i < 200; i++) await new Promise(setImmediate);
    return reads;
  }

  private announce(block: Block, change: (event: ChainEvent) => void = () => undefined): void {
    const receipts = this.chain.reader().receipts(block.hash)!;
    const event: ChainEvent = { kind: "newHead", ...storedBlock(block, receipts, "sync") };
    change(event);
    for (const listener of this.chainListeners) listener(event);
  }

  private listenToWork(listener: (work: Work) => void): () => void {
    this.workListeners.add(listener);
    return () => this.workListeners.delete(listener);
  }

  options(): Partial<RpcServerOptions> {
    const on = (listener: (event: ChainEvent) => void) => {
      this.chainListeners.add(listener);
      return () => this.chainListeners.delete(listener);
    };
    const log = (_: object, message: string) => void this.logged.push(message);
    const logger = { ...SILENT, info: log, warn: log, error: log };
    const miner = this.servesWork ? fakeMiner({ onWork: (listener) => this.listenToWork(listener) }) : undefined;
    return { chain: this.chain.reader(), events: { on }, pool: this.pool.api(), logger, ...(miner && { miner }) };
  }
}

interface Ports {
  http: number;
  ws: number;
}

async function serving(
  ws: Partial<WsConfig>,
  changes: Partial<RpcConfig>,
  use: (ports: Ports, news: News) => Promise<void>,
  servesWork = true,
): Promise<void> {
  const news = new News(new FakeChain(main), servesWork);
  const full = config({
    http: { ...DEFAULT_RPC_CONFIG.http, port: 0, closeTimeout: 200 },
    ...changes,
    ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0, ...ws },
  });
  const server = serverOver(news.chain, full, news.options());
  const address = await server.listen();
  try {
    await use({ http: address.port, ws: address.ws!.port }, news);
  } finally {
    await server.close();
  }
}

const CHAIN_ID = { jsonrpc: "2.0", id: "a", method: "eth_chainId", params: [] };
const CHAIN_ID_ANSWER = { jsonrpc: "2.0", id: "a", result: "0x1e" };
const SUBSCRIPTION = /^0x[0-9a-f]{32}$/;

describe("WebSocket", () => {
  it("sends whole pending transactions to those who ask for them", async () => {
    await serving({}, {}, async ({ ws }, { chain, pool }) => {
      const client = await WsClient.open(ws);
      const [hashes, wholes] = [
        await client.result("eth_subscribe", "newPendingTransactions"),
        await client.result("eth_subscribe", "newPendingTransactions", true),
      ];
      const [transaction] = chain.extend([[]]).transactions;
      pool.announce([transaction!]);
      await client.until(() => client.notifications.length === 2);
      const hash = toData(transaction!.hash);
      assert.deepEqual(client.of(hashes), [hash]);
      const [whole] = client.of(wholes);
      assert.deepEqual([whole.hash, whole.blockHash, whole.nonce], [hash, null, "0x10"]);
      client.close();
    });
  });

  it("responds to requests, batches, binary and malformed messages", async () => {
    await serving({}, {}, async ({ ws }) => {
      const client = await WsClient.open(ws);
      assert.deepEqual(await client.raw(JSON.stringify(CHAIN_ID)), CHAIN_ID_ANSWER);
      assert.deepEqual(await client.raw(Buffer.from(JSON.stringify(CHAIN_ID))), CHAIN_ID_ANSWER);
      const batch = [
        CHAIN_ID,
        { ...CHAIN_ID, id: undefined },
        { id: 2, method: "eth_subscribe", params: ["newHeads"] },
      ];
      const [first, second, ...rest] = await client.raw(JSON.stringify(batch));
      assert.deepEqual([first, rest], [CHAIN_ID_ANSWER, []]);
      assert.match(second.result, SUBSCRIPTION);
      for (const [text, code] of [
        ["", -32700],
        ["{", -32700],
        ["[]", -32600],
        ["5", -32600],
      ] as const) {
        const { id, error } = await client.raw(text);
        assert.deepEqual([id, error.code], [null, code]);
      }
      assert.equal((await client.raw(Uint8Array.of(0xff, 0xfe))).error.code, -32700);
      const deep = `{"id":1,"method":"eth_chainId","params":${"[".repeat(101)}${"]".repeat(101)}}`;
      assert.equal((await client.raw(deep)).error.code, -32600);
    });
  });

  it("does not respond to notifications, such as viem's keep-alive", async () => {
    await serving({}, {}, async ({ ws }) => {
      const client = await WsClient.open(ws);
      client.socket.send('{"jsonrpc":"2.0","method":"net_version","params":[]}');
      assert.deepEqual(await client.raw(JSON.stringify(CHAIN_ID)), CHAIN_ID_ANSWER);
      assert.equal(client.others.length, 1);
    });
  });

  it("checks key, host and origin before the upgrade", async () => {
    await serving({}, { auth: { keys: ["secret"] } }, async ({ ws }) => {
      for (const path of ["/", "/other"]) await assert.rejects(WsClient.open(ws, path), (status) => status === 401);
      assert.equal(await (await WsClient.open(ws, "/secret")).result("eth_chainId"), "0x1e");
    });
    await serving({}, {}, async ({ ws }) => {
      const refused = (options: object) => assert.rejects(WsClient.open(ws, "/", options), (status) => status === 403);
      await refused({ headers: { host: "evil.example" } });
      await refused({ origin: "https://app.example" });
      await WsClient.open(ws, "/any-path");
    });
    const http = { ...DEFAULT_RPC_CONFIG.http, port: 0, cors: ["https://app.example"] };
    await serving({}, { http }, async ({ ws }) => {
      await WsClient.open(ws, "/", { origin: "https://app.example" });
    });
    const own = { ...http, cors: [OWN_MACHINE] };
    await serving({}, { http: own }, async ({ ws }) => {
      await WsClient.open(ws, "/", { origin: "http://localhost:3000" });
      for (const origin of ["http://evil.example", "null", "http://localhost.evil.example"]) {
        await assert.rejects(WsClient.open(ws, "/", { origin }), (status) => status === 403, origin);
      }
    });
  });

  it("does not serve HTTP, and HTTP has no subscriptions", async () => {
    await serving({}, {}, async ({ ws, http }) => {
      assert.equal((await send({ port: ws, method: "GET" })).status, 426);
      assert.equal((await post(ws, CHAIN_ID)).status, 426);
      for (const method of ["eth_subscribe", "eth_unsubscribe"]) {
        const { json } = await post(http, { id: 1, method, params: ["newHeads"] });
        const message = `the method ${method} does not exist/is not available`;
        assert.deepEqual(json.error, { code: -32601, message });
      }
    });
  });

  it("shares the HTTP listener if both have the same address", async () => {
    const free = await freePort();
    const http = { ...DEFAULT_RPC_CONFIG.http, port: free };
    await serving({ port: free }, { http, auth: { keys: ["k"] } }, async (ports) => {
      assert.deepEqual(ports, { http: free, ws: free });
      const client = await WsClient.open(free, "/k");
      assert.equal(await client.result("eth_chainId"), "0x1e");
      await assert.rejects(WsClient.open(free, "/x"), (status) => status === 401);
      const body = JSON.stringify(CHAIN_ID);
      assert.deepEqual((await send({ port: free, path: "/k", headers: JSON_HEADERS, body })).json, CHAIN_ID_ANSWER);
      assert.equal((await send({ port: free, path: "/k", method: "GET" })).status, 405);
    });
  });

  it("is served on the port of HTTP too, beside requests for other upgrades", async () => {
    await serving({}, { auth: { keys: ["k"] } }, async ({ http, ws }) => {
      assert.notEqual(http, ws);
      for (const port of [http, ws]) {
        const client = await WsClient.open(port, "/v1/ws/k");
        assert.equal(await client.result("eth_chainId"), "0x1e");
        assert.match(await client.result("eth_subscribe", "newHeads"), /^0x/);
        await assert.rejects(WsClient.open(port, "/x"), (status) => status === 401);
        client.close();
      }
      const body = JSON.stringify({ ...CHAIN_ID, pad: "x".repeat(100_000) });
      const upgrade = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAEAAEAAAAIAAAAB" };
      const headers = { ...JSON_HEADERS, ...upgrade, "content-length": body.length };
      assert.deepEqual((await send({ port: http, path: "/k", headers, body })).json, CHAIN_ID_ANSWER);
      assert.equal((await send({ port: http, path: "/x", headers, body })).status, 401);
    });
  });

  it("compresses large responses, and inflates requests within the limit", async () => {
    await serving({ maxMessageBytes: 200_000 }, {}, async ({ ws }, news) => {
      news.chain.onCall = () => ({ output: new Uint8Array(100_000) });
      const client = await WsClient.open(ws);
      assert.match(client.socket.extensions, /permessage-deflate/);
      const received = () => (client.socket as unknown as { _socket: Socket })._socket.bytesRead;
      const before = received();
      const output = await client.result("eth_call", { to: toData(CONTRACT), data: `0x${"00".repeat(50_000)}` });
      assert.equal(output.length, 200_002);
      assert(received() - before < 20_000, `${received() - before} bytes`);
      client.socket.send(JSON.stringify({ ...CHAIN_ID, pad: "x".repeat(20_000_000) }));
      assert.equal((await client.closed).code, 1009);
      const plain = await WsClient.open(ws, "/", { perMessageDeflate: false });
      assert.equal(await plain.result("eth_chainId"), "0x1e");
    });
  });

  it("accepts large messages in one frame and closes on those beyond the limit", async () => {
    await serving({ maxMessageBytes: 200_000 }, {}, async ({ ws }) => {
      const client = await WsClient.open(ws);
      const padded = (length: number) => JSON.stringify({ ...CHAIN_ID, pad: "x".repeat(length) });
      assert.deepEqual(await client.raw(padded(199_000)), CHAIN_ID_ANSWER);
      client.socket.send(padded(200_000));
      assert.equal((await client.closed).code, 1009);
    });
  });

  it("closes a connection after two unanswered pings", async () => {
    await serving({ pingInterval: 20 }, {}, async ({ ws }) => {
      const answering = await WsClient.open(ws);
      const silent = await WsClient.open(ws, "/", { autoPong: false } as object);
      assert.deepEqual(await silent.closed, { code: 1011, reason: "pings are not answered" });
      assert.equal(await answering.result("eth_chainId"), "0x1e");
    });
  });

  it("limits subscriptions, which only their connection can cancel", async () => {
    await serving({ maxSubscriptions: 2 }, {}, async ({ ws }, news) => {
      const [owner, other] = await Promise.all([WsClient.open(ws), WsClient.open(ws)]);
      const id = await owner.result("eth_subscribe", "newHeads");
      await owner.result("eth_subscribe", "logs");
      const { error } = await owner.ask("eth_subscribe", "logs");
      assert.deepEqual(error, { code: -32000, message: "too many subscriptions" });
      assert.equal(await other.result("eth_unsubscribe", id), false);
      assert.equal(await owner.result("eth_unsubscribe", id.toUpperCase().replace("X", "x")), true);
      assert.equal(await owner.result("eth_unsubscribe", id), false);
      await other.result("eth_subscribe", "newHeads");
      news.extend();
      await other.until(() => other.notifications.length > 0);
      await owner.result("eth_chainId");
      assert.deepEqual(owner.notifications, []);
    });
  });

  it("notifies each subscriber: heads before their logs, logs by address and topics", async () => {
    await serving({}, {}, async ({ ws }, news) => {
      const client = await WsClient.open(ws);
      const elsewhere = new Uint8Array(20).fill(1);
      const address = toData(CONTRACT);
      const all = await client.result("eth_subscribe", "logs", {});
      const heads = await client.result("eth_subscribe", "newHeads", { ignored: 1 });
      const byAddress = await client.result("eth_subscribe", "logs", { address: [address, address] });
      const byTopic = await client.result("eth_subscribe", "logs", { topics: [null, toData(TOPIC_B)], fromBlock: [] });
      news.extend([[makeLog(CONTRACT, [TOPIC_A])], [makeLog(elsewhere, [TOPIC_A, TOPIC_B]), makeLog(CONTRACT)]]);
      await client.until(() => client.notifications.length === 7);
      assert.deepEqual(client.of(heads), [await client.result("eth_getBlockByNumber", "0x1")]);
      assert.equal(client.of(heads)[0].mixHash, `0x${"00".repeat(32)}`);
      const places = (id: string) =>
        client.of(id).map(({ transactionIndex, logIndex }) => [transactionIndex, logIndex]);
      assert.deepEqual(places(all), [
        ["0x0", "0x0"],
        ["0x1", "0x1"],
        ["0x1", "0x2"],
      ]);
      assert.deepEqual(places(byAddress), [
        ["0x0", "0x0"],
        ["0x1", "0x2"],
      ]);
      assert.deepEqual(places(byTopic), [["0x1", "0x1"]]);
      assert.equal(client.notifications[0]!.subscription, heads);
      for (const [type, options] of [
        ["logs", { address: "0x1" }],
        ["logs", { topics: [1] }],
        ["newHeads", 5],
      ]) {
        assert.equal((await client.ask("eth_subscribe", type, options)).error.code, -32602);
      }
      assert.deepEqual((await client.ask("eth_subscribe", "blocks")).error, {
        code: -32602,
        message: 'unsupported subscription type "blocks"',
      });
    });
  });

  it("sends the id of a subscription before its first notification", async () => {
    await serving({}, {}, async ({ ws }, news) => {
      const client = await WsClient.open(ws);
      const order: string[] = [];
      client.socket.on("message", (data) => order.push(String(data).includes("eth_subscription") ? "news" : "answer"));
      const balance = { id: 2, method: "eth_call", params: [{ to: toData(CONTRACT) }] };
      // A block arrives while the rest of the batch is processed.
      news.chain.onCall = () => {
        news.extend();
        return {};
      };
      await client.raw(JSON.stringify([{ id: 1, method: "eth_subscribe", params: ["newHeads"] }, balance]));
      await client.until(() => client.notifications.length > 0);
      assert.deepEqual(order, ["answer", "news"]);
    });
  });

  it("sends new work to those who ask for it, and listens to the miner as long", async () => {
    await serving({}, {}, async ({ ws }, news) => {
      const client = await WsClient.open(ws);
      const id = await client.result("eth_subscribe", "work");
      assert.equal(news.workListeners.size, 1);
      const work = fakeMiner().getWork();
      for (const listener of news.workListeners) listener(work);
      await client.until(() => client.notifications.length > 0);
      const { subscription, result } = client.notifications[0]!;
      assert.deepEqual([subscription, result.blockHashForMergedMining], [id, toData(work.hashForMergedMining)]);
      await client.result("eth_unsubscribe", id);
      assert.equal(news.workListeners.size, 0);
    });
  });

  it("refuses subscriptions to work on a node that serves none, and says how to mend it", async () => {
    const use = async ({ ws }: Ports) => {
      const client = await WsClient.open(ws);
      assert.match((await client.ask("eth_subscribe", "work")).error.message, /--miner\.server/);
    };
    await serving({}, {}, use, false);
  });

  it("closes the connection of a slow reader only", async () => {
    await serving({ maxQueuedBytes: 500_000 }, {}, async ({ ws }, news) => {
      const [slow, quick] = await Promise.all([WsClient.open(ws), WsClient.open(ws)]);
      for (const client of [slow, quick]) await client.result("eth_subscribe", "logs");
      slow.socket.pause();
      const logs = Array.from({ length: 100 }, () => makeLog(CONTRACT, [], new Uint8Array(1000)));
      let received = 0;
      for (; received < 10_000; received += logs.length) {
        news.extend([logs]);
        await quick.until(() => quick.notifications.length === received + logs.length);
      }
      slow.socket.resume();
      const { code, reason } = await slow.closed;
      // The code is 1006 if the server ended the connection before the client had read the close frame.
      assert.ok(code === 1006 || (code === 1013 && reason === "too many notifications are waiting to be read"), reason);
      assert(slow.notifications.length < received);
    });
  });

  it("closes a connection whose client reads nothing for too long", async () => {
    await serving({ writeTimeout: 100, maxQueuedBytes: 1e9 }, {}, async ({ ws }, news) => {
      const client = await WsClient.open(ws);
      const withoutSubscriptions = await news.blockReads();
      await client.result("eth_subscribe", "logs");
      await client.result("eth_subscribe", "newHeads");
      client.socket.pause();
      const closed = client.closed;
      const logs = Array.from({ length: 100 }, () => makeLog(CONTRACT, [], new Uint8Array(10_000)));
      for (let i = 0; i < 10; i++) news.extend([logs]);
      while ((await news.blockReads()) > withoutSubscriptions) await new Promise((resolve) => setTimeout(resolve, 10));
      client.socket.resume();
      assert.match(String((await closed).code), /^(1013|1006)$/);
    });
  });

  it("stops reading requests while their responses are not read", async () => {
    await serving({}, {}, async ({ ws }, news) => {
      const client = await WsClient.open(ws);
      let calls = 0;
      news.chain.onCall = () => {
        calls++;
        return { output: new Uint8Array(200_000) };
      };
      client.socket.pause();
      const request = JSON.stringify({ id: 1, method: "eth_call", params: [{ to: toData(CONTRACT) }] });
      for (let i = 0; i < 200; i++) client.socket.send(request);
      const other = await WsClient.open(ws);
      for (let before = -1; before < calls; ) {
        before = calls;
        for (let i = 0; i < 50; i++) await other.result("eth_chainId");
      }
      assert(calls < 60, `${calls} calls`);
      client.socket.resume();
      await client.until(() => client.others.length === 200);
    });
  });

  it("removes the subscriptions of a closed connection", async () => {
    await serving({}, {}, async ({ ws }, news) => {
      const withoutSubscriptions = await news.blockReads();
      const client = await WsClient.open(ws);
      await client.result("eth_subscribe", "newHeads");
      assert.equal(await news.blockReads(), withoutSubscriptions + 1);
      client.socket.terminate();
      while ((await news.blockReads()) > withoutSubscriptions);
    });
  });

  it("answers in-flight requests when it closes, then sends a close frame", async () => {
    const news = new News(new FakeChain(main));
    const ws = { ...DEFAULT_RPC_CONFIG.ws, port: 0 };
    const full = config({ http: { ...DEFAULT_RPC_CONFIG.http, port: 0 }, ws });
    const server = serverOver(news.chain, full, news.options());
    const client = await WsClient.open((await server.listen()).ws!.port);
    let calls = 0;
    news.chain.onCall = () => {
      calls++;
      const until = performance.now() + 2;
      while (performance.now() < until);
      return {};
    };
    const call = { id: 1, method: "eth_call", params: [{ to: toData(CONTRACT) }] };
    const answer = client.raw(JSON.stringify(Array.from({ length: 50 }, () => call)));
    while (calls === 0) await new Promise(setImmediate);
    await Promise.all([server.close(), server.close()]);
    assert.equal((await answer).length, 50);
    assert.deepEqual(await client.closed, { code: 1001, reason: "the server is closing" });
  });

  it("survives bytes that are not WebSocket frames, and does not fill the log with them", async () => {
    await serving({}, {}, async ({ ws }, { logged }) => {
      logged.length = 0;
      const upgrade =
        "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
        "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
      for (const text of [
        "\0\0",
        upgrade.replace("key", "kex"),
        `${upgrade}\x83\x80garbage`,
        `${upgrade}${"\xff".repeat(99)}`,
      ]) {
        await new Promise((resolve) => {
          const socket = connect(ws, "127.0.0.1", () => socket.write(Buffer.from(text, "latin1")));
          socket.on("error", () => {});
          socket.on("data", () => setTimeout(() => socket.destroy(), 20));
          socket.on("close", resolve);
        });
      }
      assert.equal(await (await WsClient.open(ws)).result("eth_chainId"), "0x1e");
      assert.deepEqual(logged, []);
    });
  });
});
