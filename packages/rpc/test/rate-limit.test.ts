import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { main } from "@cambium/config";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { DEFAULT_RPC_CONFIG } from "../src/index.js";
import { ClientRateLimiter } from "../src/rate-limit/client-rate-limiter.js";
import { JSON_HEADERS, post, send } from "./support/http-client.js";
import { config, SILENT, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

const CHAIN_ID = { jsonrpc: "2.0", id: 7, method: "eth_chainId", params: [] };
const REFUSED = { jsonrpc: "2.0", id: 7, error: { code: -32005, message: "too many requests" } };

/** The part of a Redis server that counting needs; tests can inspect keys and their expiry. */
class FakeRedis {
  readonly counts = new Map<string, number>();
  readonly lifetimes = new Map<string, number>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (data) => {
        for (const command of commandsOf(String(data))) socket.write(this.answer(command));
      });
    });
  }

  listen(): Promise<string> {
    return new Promise((resolve) =>
      this.server.listen(0, "127.0.0.1", () => {
        resolve(`redis://127.0.0.1:${(this.server.address() as { port: number }).port}`);
      }),
    );
  }

  close(): void {
    this.server.close();
  }

  private answer([name, key, value]: string[]): string {
    switch (name!.toLowerCase()) {
      case "incrby": {
        const sum = (this.counts.get(key!) ?? 0) + Number(value);
        this.counts.set(key!, sum);
        return `:${sum}\r\n`;
      }
      case "pexpire":
        this.lifetimes.set(key!, Number(value));
        return ":1\r\n";
      case "info":
        return "$17\r\nredis_version:7.0\r\n";
      default:
        return "+OK\r\n";
    }
  }
}

/** Parses RESP arrays of bulk strings. */
function commandsOf(text: string): string[][] {
  const lines = text.split("\r\n");
  const commands: string[][] = [];
  for (let i = 0; lines[i]?.startsWith("*"); ) {
    const count = Number(lines[i]!.slice(1));
    commands.push(Array.from({ length: count }, (_, j) => lines[i + 2 + 2 * j]!));
    i += 1 + 2 * count;
  }
  return commands;
}

describe("rate limits", () => {
  it("count requests and batch entries in windows, per identity", async () => {
    let now = 5_000;
    const limiter = new ClientRateLimiter({ requests: 3, window: 1_000 }, SILENT, () => now);
    const [a, b] = [limiter.admission({ identity: "a" })!, limiter.admission({ identity: "b" })!];
    assert.deepEqual([a(1), a(2), b(3)], [0, 0, 0]);
    now += 400;
    assert.deepEqual([a(1), b(1)], [600, 600]);
    now += 600;
    assert.deepEqual([a(100), a(1)], [0, 1000]);
    assert.equal(new ClientRateLimiter({ requests: 0, window: 1_000 }, SILENT).admission({ identity: "a" }), undefined);
  });

  it("go on when the system's clock is set back", () => {
    let now = 10 * 3_600_000;
    const limiter = new ClientRateLimiter({ requests: 2, window: 1_000 }, SILENT, () => now);
    const take = limiter.admission({ identity: "a" })!;
    assert.deepEqual([take(2), take(1)], [0, 1_000]);
    now = 0;
    assert.deepEqual([take(2), take(1)], [0, 1_000]);
    now = 1_000;
    assert.equal(take(2), 0);
    // A slightly late count of another thread.
    now = 900;
    assert.equal(take(1), 100);
  });

  it("respond over HTTP with 429 and the ids of the requests", async () => {
    const limits = { rateLimit: { requests: 4, window: 3_600_000 }, auth: { keys: ["one", "two"] } };
    const server = serverOver(
      new FakeChain(main),
      config({ http: { ...DEFAULT_RPC_CONFIG.http, port: 0 }, ...limits }),
    );
    const { port } = await server.listen();
    const ask = (path: string, body: unknown) =>
      send({ port, path, headers: JSON_HEADERS, body: JSON.stringify(body) });
    try {
      assert.equal((await ask("/one", [CHAIN_ID, CHAIN_ID, CHAIN_ID])).status, 200);
      const batch = await ask("/one", [CHAIN_ID, { ...CHAIN_ID, id: undefined }]);
      assert.deepEqual([batch.status, batch.json], [429, [REFUSED]]);
      assert(Number(batch.headers["retry-after"]) > 0);
      const single = await ask("/one", CHAIN_ID);
      assert.deepEqual([single.status, single.json], [429, REFUSED]);
      assert.equal((await ask("/two", CHAIN_ID)).status, 200);
    } finally {
      await server.close();
    }
  });

  it("apply to HTTP and WebSocket together, by IP address if there are no keys", async () => {
    const full = config({
      http: { ...DEFAULT_RPC_CONFIG.http, port: 0 },
      ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 },
      rateLimit: { requests: 2, window: 3_600_000 },
    });
    const server = serverOver(new FakeChain(main), full);
    const { port, ws } = await server.listen();
    try {
      const client = await WsClient.open(ws!.port);
      assert.equal(await client.result("eth_chainId"), "0x1e");
      assert.equal((await post(port, CHAIN_ID)).status, 200);
      assert.deepEqual(await client.raw(JSON.stringify(CHAIN_ID)), REFUSED);
      client.socket.send('{"method":"net_version"}');
      assert.deepEqual(await client.raw(JSON.stringify([CHAIN_ID])), [REFUSED]);
      assert.equal((await post(port, CHAIN_ID)).status, 429);
    } finally {
      await server.close();
    }
  });

  it("are shared by several nodes in Redis", async () => {
    const redis = new FakeRedis();
    const limits = { requests: 3, window: 3_600_000, redis: await redis.listen() };
    const [one, two] = [new ClientRateLimiter(limits, SILENT), new ClientRateLimiter(limits, SILENT)];
    await Promise.all([one.open(), two.open()]);
    try {
      assert.equal(await one.admission({ identity: "key" })!(2), 0);
      assert.equal(await two.admission({ identity: "key" })!(1), 0);
      for (const limiter of [one, two]) assert((await limiter.admission({ identity: "key" })!(1)) > 0);
      assert.equal(await two.admission({ identity: "other" })!(1), 0);
      assert.deepEqual([...redis.counts.values()], [5, 1]);
      assert.deepEqual([...redis.lifetimes.values()], [7_200_000, 7_200_000]);
    } finally {
      await Promise.all([one.close(), two.close()]);
      redis.close();
    }
  });

  it("fall back to counts in memory while Redis is unreachable", async () => {
    const errors: object[] = [];
    const logger = { ...SILENT, error: (data: object) => errors.push(data) };
    const limiter = new ClientRateLimiter({ requests: 1, window: 3_600_000, redis: "redis://127.0.0.1:1" }, logger);
    await limiter.open();
    assert.equal(await limiter.admission({ identity: "key" })!(1), 0);
    assert((await limiter.admission({ identity: "key" })!(1)) > 0);
    assert.equal(errors.length, 1);
    await limiter.close();
  });

  it("do not reveal API keys to the shared store", async () => {
    const redis = new FakeRedis();
    const rateLimit = { requests: 3, window: 3_600_000, redis: await redis.listen() };
    const http = { ...DEFAULT_RPC_CONFIG.http, port: 0 };
    const server = serverOver(new FakeChain(main), config({ http, rateLimit, auth: { keys: ["very-secret"] } }));
    const { port } = await server.listen();
    await send({ port, path: "/very-secret", headers: JSON_HEADERS, body: JSON.stringify(CHAIN_ID) });
    await server.close();
    redis.close();
    assert.equal(redis.counts.size, 1);
    assert(![...redis.counts.keys()].join().includes("secret"));
  });
});
