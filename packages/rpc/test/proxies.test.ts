import assert from "node:assert/strict";
import { main } from "@cambium/config";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { DEFAULT_RPC_CONFIG } from "../src/index.js";
import { Proxies } from "../src/proxies.js";
import { post } from "./support/http-client.js";
import { config, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

const CHAIN_ID = { jsonrpc: "2.0", id: 7, method: "eth_chainId", params: [] };

describe("proxies before a node", () => {
  it("name their client last, behind what the client sent itself", () => {
    const proxies = Proxies.of(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"])!;
    const behind = (forwarded: string | undefined) => proxies.clientBehind("10.1.1.1", forwarded);
    assert.equal(behind("203.0.113.9"), "203.0.113.9");
    assert.equal(behind("198.51.100.1, 203.0.113.9"), "203.0.113.9");
    assert.equal(behind("198.51.100.1, 203.0.113.9, 10.2.3.4,192.0.2.7"), "203.0.113.9");
    assert.equal(behind("2001:db9::1"), "2001:db9::1");
    assert.equal(behind("::ffff:203.0.113.9"), "203.0.113.9");
    for (const none of [undefined, "", "unknown", "203.0.113.9, nonsense", "10.9.9.9"]) {
      assert.equal(behind(none), "10.1.1.1", none);
    }
  });

  it("are known by their address or network", () => {
    const proxies = Proxies.of(["10.0.0.0/8", "2001:db8::/32", "0.0.0.0/32"])!;
    const known = ["10.255.0.1", "::ffff:10.0.0.1", "2001:db8:1::1", "0.0.0.0"];
    const foreign = ["11.0.0.1", "2001:db9::1", "", "name"];
    assert.deepEqual(
      known.map((one) => proxies.has(one)),
      known.map(() => true),
    );
    assert.deepEqual(
      foreign.map((one) => proxies.has(one)),
      foreign.map(() => false),
    );
    for (const malformed of [
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "proxy",
      "10.0.0/8",
      "10.0.0.0/-1",
      "::/129",
    ]) {
      assert.equal(Proxies.of([malformed]), undefined, malformed);
    }
  });

  it("share no rate limit among their clients, over HTTP and WebSocket", async () => {
    const full = config({
      http: { ...DEFAULT_RPC_CONFIG.http, port: 0, proxies: ["127.0.0.0/8"] },
      ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 },
      rateLimit: { requests: 2, window: 3_600_000 },
    });
    const server = serverOver(new FakeChain(main), full);
    const { port, ws } = await server.listen();
    const status = async (client: string) => (await post(port, CHAIN_ID, { "x-forwarded-for": client })).status;
    try {
      const headers = { "x-forwarded-for": "203.0.113.1" };
      const socket = await WsClient.open(ws!.port, "/", { headers });
      assert.equal(await socket.result("eth_chainId"), "0x1e");
      assert.deepEqual([await status("203.0.113.1"), await status("203.0.113.1")], [200, 429]);
      assert.equal(await status("203.0.113.2"), 200);
      assert.equal(await status("203.0.113.2, 203.0.113.1"), 429, "what a client sends itself does not count");
    } finally {
      await server.close();
    }
  });

  it("are believed only if they are trusted", async () => {
    const http = { ...DEFAULT_RPC_CONFIG.http, port: 0, proxies: ["10.0.0.0/8"] };
    const server = serverOver(new FakeChain(main), config({ http, rateLimit: { requests: 1, window: 3_600_000 } }));
    const { port } = await server.listen();
    try {
      const answers = ["203.0.113.1", "203.0.113.2"].map((client) =>
        post(port, CHAIN_ID, { "x-forwarded-for": client }),
      );
      assert.deepEqual((await Promise.all(answers)).map(({ status }) => status).sort(), [200, 429]);
    } finally {
      await server.close();
    }
  });

  it("must have addresses", () => {
    const http = { ...DEFAULT_RPC_CONFIG.http, port: 0, proxies: ["proxy.example"] };
    assert.throws(
      () => serverOver(new FakeChain(main), config({ http })),
      /option=http\.proxies reason=one is neither an address/,
    );
  });
});
