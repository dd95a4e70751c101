import assert from "node:assert/strict";
import { METHODS } from "@cambium/api";
import { main } from "@cambium/config";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { until } from "@cambium/test-utils/rpc-client";
import { hasRedisServer, RedisServer } from "@cambium/test-utils/servers/redis-server";
import { DEFAULT_RPC_CONFIG, type RpcConfig } from "../src/index.js";
import { KeyStore } from "../src/keys/key-store.js";
import { isKeyName, type ManagedKey, mayUse, newSecret, parseKey, secretDigest } from "../src/keys/managed-key.js";
import { costOf } from "../src/requests/method-costs.js";
import { JSON_HEADERS, send } from "./support/http-client.js";
import { config, type Json, SILENT, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

const CHAIN_ID = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
const CODE = { jsonrpc: "2.0", id: 2, method: "eth_estimateGas", params: [] };

const unexpected = (error: Error) => assert.fail(error);

function keyOf(name: string, secret: string, more: Partial<ManagedKey> = {}): ManagedKey {
  return { name, digest: secretDigest(secret), created: 1_700_000_000, ...more };
}

describe("API keys", () => {
  it("have names that can be labels, and secrets of which only a digest is kept", () => {
    for (const name of ["alice", "A-1_b", "x".repeat(64)]) assert(isKeyName(name), name);
    for (const name of ["", "other", "a b", "file:1", "x".repeat(65), "ä"]) assert(!isKeyName(name), name);
    const [one, two] = [newSecret(), newSecret()];
    assert.match(one, /^[\w-]{32}$/);
    assert.notEqual(one, two);
    assert.match(secretDigest(one), /^[0-9a-f]{64}$/);
  });

  it("are read from JSON only if they are complete and well-formed", () => {
    const key = keyOf("alice", "s", { limit: { amount: 5, of: "units" }, methods: ["eth"], expires: 2_000_000_000 });
    const text = (changes: object) => JSON.stringify({ ...key, name: undefined, ...changes });
    assert.deepEqual(parseKey("alice", text({})), key);
    const wrong = [
      { digest: "ab" },
      { limit: { amount: 0, of: "units" } },
      { limit: { amount: 5, of: "cents" } },
      { limit: 5 },
      { methods: "eth" },
      { methods: [1] },
      { expires: "soon" },
      { created: undefined },
    ];
    for (const changes of wrong) assert.equal(parseKey("alice", text(changes)), undefined, JSON.stringify(changes));
    for (const malformed of ["", "null", "7", "{"]) assert.equal(parseKey("alice", malformed), undefined);
    assert.equal(parseKey("other", text({})), undefined);
  });

  it("may use the methods and modules that they name", () => {
    const method = { name: "eth_call", module: "eth" };
    for (const methods of [undefined, ["eth"], ["net", "eth_call"]]) assert(mayUse({ methods }, method));
    for (const methods of [[], ["net"], ["eth_getLogs"]]) assert(!mayUse({ methods }, method));
  });

  it("pay more for every method that needs a thread for heavy work than for a read", () => {
    for (const { name, isHeavy } of METHODS) if (isHeavy) assert.notEqual(costOf(name), "read", name);
    const names = ["eth_getBalance", "eth_call", "eth_sendRawTransaction", "eth_getLogs", "trace_block", "nonsense"];
    assert.deepEqual(names.map(costOf), ["read", "call", "send", "logs", "trace", "read"]);
  });
});

describe("API keys in Redis", () => {
  let redis: RedisServer;
  let store: KeyStore;

  before(function () {
    if (!hasRedisServer()) this.skip();
  });

  beforeEach(async () => {
    redis = await RedisServer.start();
    store = await KeyStore.open(redis.url, unexpected);
  });

  afterEach(async () => {
    store?.close();
    await redis?.remove();
  });

  /** Runs a server that accepts the keys of Redis. */
  async function serving(
    changes: Partial<RpcConfig>,
    test: (
      ask: (secret: string, body: unknown) => Promise<{ status: number; json: Json }>,
      port: number,
    ) => Promise<void>,
    logger = SILENT,
  ): Promise<void> {
    const http = { ...DEFAULT_RPC_CONFIG.http, port: 0 };
    const ws = { ...DEFAULT_RPC_CONFIG.ws, port: 0 };
    const full = config({ http, ws, auth: { keys: ["of-a-file"], redis: redis.url }, ...changes });
    const server = serverOver(new FakeChain(main), full, { logger });
    const { port } = await server.listen();
    const ask = (secret: string, body: unknown) =>
      send({ port, path: `/${secret}`, headers: JSON_HEADERS, body: JSON.stringify(body) });
    try {
      await test(ask, port);
    } finally {
      await server.close();
    }
  }

  it("are listed, changed and revoked by their names, which are unique", async () => {
    const [alice, bob] = [keyOf("alice", "a"), keyOf("bob", "b", { methods: ["eth"] })];
    await store.add(bob);
    await store.add(alice);
    const plain = (keys: unknown) => JSON.parse(JSON.stringify(keys));
    assert.deepEqual(plain(await store.list()), [alice, bob]);
    await assert.rejects(store.add(keyOf("bob", "c")), { code: "KEY_REFUSED" });
    const version = await store.version();
    const changed = await store.update("bob", { limit: { amount: 7, of: "requests" }, methods: undefined });
    assert.deepEqual(plain(changed), keyOf("bob", "b", { limit: { amount: 7, of: "requests" } }));
    assert.notEqual(await store.version(), version);
    await store.revoke("alice");
    assert.deepEqual(plain(await store.list()), plain([changed]));
    await assert.rejects(store.revoke("alice"), { code: "KEY_REFUSED" });
    await assert.rejects(store.update("alice", {}), { code: "KEY_REFUSED" });
  });

  it("are accepted and refused by a running server as they change, over HTTP and WebSocket", async () => {
    const rateLimit = { requests: 0, window: 3_600_000 };
    await serving({ rateLimit }, async (ask, port) => {
      assert.equal((await ask("of-a-file", CHAIN_ID)).status, 200);
      assert.equal((await ask("secret", CHAIN_ID)).status, 401);
      await store.add(keyOf("alice", "secret", { methods: ["net", "eth_chainId"] }));
      await until(async () => (await ask("secret", CHAIN_ID)).status === 200);
      const refused = await ask("secret", [CHAIN_ID, CODE]);
      assert.equal(refused.json[0].result, "0x1e");
      assert.equal(refused.json[1].error.code, -32601);
      assert.match(refused.json[1].error.message, /for this API key/);
      const client = await WsClient.open(port, "/secret");
      assert.equal((await client.ask("eth_estimateGas")).error.code, -32601);
      await store.update("alice", { methods: undefined, limit: { amount: 1, of: "requests" } });
      await until(async () => (await client.ask("eth_estimateGas")).error.code === -32602);
      await store.revoke("alice");
      await client.closed;
      assert.equal((await ask("secret", CHAIN_ID)).status, 401);
      assert.equal((await ask("of-a-file", CHAIN_ID)).status, 200);
    });
  });

  it("end at their date, also of connections that are open", async () => {
    await store.add(keyOf("past", "past", { expires: 1_700_000_000 }));
    await store.add(keyOf("soon", "soon", { expires: Math.ceil(Date.now() / 1_000) + 2 }));
    await serving({}, async (ask, port) => {
      assert.equal((await ask("past", CHAIN_ID)).status, 401);
      const client = await WsClient.open(port, "/soon");
      await client.closed;
      assert.equal((await ask("soon", CHAIN_ID)).status, 401);
    });
  });

  it("have limits of requests or cost units of their own, which all servers share", async () => {
    await store.add(keyOf("units", "units", { limit: { amount: 3, of: "units" } }));
    await store.add(keyOf("requests", "requests", { limit: { amount: 3, of: "requests" } }));
    await store.add(keyOf("usual", "usual"));
    const limits = { rateLimit: { requests: 2, window: 3_600_000, redis: redis.url } };
    await serving(limits, async (first) => {
      await serving(limits, async (second) => {
        assert.equal((await first("usual", [CHAIN_ID, CHAIN_ID])).status, 200);
        assert.equal((await second("usual", CHAIN_ID)).status, 429);
        const calls = Array.from({ length: 100 }, () => CODE);
        // 3 units a second are 10 800 in an hour: 21 batches of a hundred calls of 5 units each, and some calls.
        for (let batch = 0; batch < 21; batch++) {
          assert.equal((await (batch % 2 ? first : second)("units", calls)).status, 200);
        }
        assert.equal((await first("units", calls)).status, 429);
        for (let batch = 0; batch < 21; batch++) await first("requests", calls);
        assert.equal((await second("requests", calls)).status, 200);
      });
    });
  });

  it("stay valid while Redis is away, but no new ones are accepted until it is back", async () => {
    const errors: string[] = [];
    const logger = { ...SILENT, error: (_: object, message: string) => errors.push(message) };
    await store.add(keyOf("alice", "secret"));
    store.close();
    await serving(
      {},
      async (ask) => {
        assert.equal((await ask("secret", CHAIN_ID)).status, 200);
        await redis.kill();
        await until(async () => errors.some((message) => message.includes("Cannot read API keys")));
        assert.equal((await ask("secret", CHAIN_ID)).status, 200);
        assert.equal((await ask("unknown", CHAIN_ID)).status, 401);
        await redis.restart();
        const again = await KeyStore.open(redis.url, unexpected);
        await again.add(keyOf("bob", "new"));
        await until(async () => (await ask("new", CHAIN_ID)).status === 200);
        await again.revoke("alice");
        await until(async () => (await ask("secret", CHAIN_ID)).status === 401);
        again.close();
      },
      logger,
    );
  });
});
