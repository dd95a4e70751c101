import assert from "node:assert/strict";
import { connect } from "node:net";
import { gunzipSync, gzipSync } from "node:zlib";
import { main } from "@cambium/config";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { type HttpConfig, OWN_MACHINE } from "../src/config.js";
import { DEFAULT_RPC_CONFIG, type RpcConfig, RpcServerError } from "../src/index.js";
import { JSON_HEADERS, post, send } from "./support/http-client.js";
import { config, serverOver } from "./support/service.js";

const chain = new FakeChain(main);
chain.extend();

const CHAIN_ID = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
const CHAIN_ID_ANSWER = { jsonrpc: "2.0", id: 1, result: "0x1e" };

/** Runs `use` against a new server. */
async function serving(
  http: Partial<HttpConfig>,
  changes: Partial<RpcConfig>,
  use: (port: number) => Promise<void>,
): Promise<void> {
  const full = config({ ...changes, http: { ...DEFAULT_RPC_CONFIG.http, port: 0, ...http } });
  const server = serverOver(chain, full);
  const { port } = await server.listen();
  try {
    await use(port);
  } finally {
    await server.close();
  }
}

describe("HTTP", () => {
  it("keeps connections alive and sends exact headers", async () => {
    await serving({}, {}, async (port) => {
      const answer = await post(port, CHAIN_ID, { connection: "keep-alive" });
      assert.equal(answer.headers["content-type"], "application/json");
      assert.equal(answer.headers["content-length"], String(answer.body.length));
      assert.equal(answer.headers.connection, "keep-alive");
      assert.equal(answer.body.toString(), '{"jsonrpc":"2.0","id":1,"result":"0x1e"}');
      const found = await send({ port, method: "PUT" });
      assert.deepEqual([found.status, found.headers.allow, found.body.length], [405, "POST, OPTIONS", 0]);
      for (const method of ["DELETE", "PATCH"]) assert.equal((await send({ port, method })).status, 405);
      assert.equal((await send({ port, path: "/x", method: "GET" })).status, 405);
    });
  });

  it("tells a load balancer that it answers", async () => {
    await serving({}, {}, async (port) => {
      for (const method of ["GET", "HEAD"]) {
        for (const headers of [{ accept: "*/*" }, { "user-agent": "ELB-HealthChecker/2.0" }]) {
          assert.equal((await send({ port, method, headers })).status, 200);
        }
        assert.equal((await send({ port, method })).status, 405);
      }
    });
  });

  it("serves any path without API keys, and only those that end in a key with them", async () => {
    await serving({}, {}, async (port) => {
      const body = JSON.stringify(CHAIN_ID);
      for (const path of ["/", "/some-key", "/a/b", "/?x=1"]) {
        assert.deepEqual((await send({ port, path, headers: JSON_HEADERS, body })).json, CHAIN_ID_ANSWER);
      }
    });
    await serving({ hosts: [] }, { auth: { keys: ["first", "sec ret"] } }, async (port) => {
      const body = JSON.stringify(CHAIN_ID);
      const ask = (path: string) => send({ port, path, headers: { ...JSON_HEADERS, host: "node.example" }, body });
      for (const path of ["/first", "/sec%20ret", "/first?x=1", "/v1/rpc/first", "/v1/sec%20ret"])
        assert.deepEqual((await ask(path)).json, CHAIN_ID_ANSWER);
      for (const path of ["/", "/firs", "/first/", "/second", "/first/v1", "/?x=/first"]) {
        const { status, json } = await ask(path);
        assert.deepEqual([status, json.error], [401, { code: -32000, message: "missing or invalid API key" }]);
      }
    });
  });

  it("accepts both JSON content types in any case, and no other", async () => {
    await serving({}, {}, async (port) => {
      const ask = (type: string) => send({ port, headers: { "content-type": type }, body: JSON.stringify(CHAIN_ID) });
      for (const type of ["application/json; charset=utf-8", "Application/JSON", " application/json-rpc ;x"]) {
        assert.deepEqual((await ask(type)).json, CHAIN_ID_ANSWER, type);
      }
      for (const type of ["application/jsonx", "text/json", "application/x-www-form-urlencoded", "*"]) {
        const { status, json } = await ask(type);
        assert.deepEqual([status, json.error.code], [415, -32000], type);
        assert.match(json.error.message, /Content-Type: application\/json/);
      }
      for (const charset of ["utf8", '"UTF-8"'])
        assert.equal((await ask(`application/json;charset=${charset}`)).status, 200);
      for (const charset of ["latin1", "utf-16", ""]) {
        assert.equal((await ask(`application/json; x=y; Charset=${charset}`)).status, 415, charset);
      }
      assert.equal((await send({ port, body: JSON.stringify(CHAIN_ID) })).status, 415);
    });
  });

  it("answers what is not UTF-8 with a parse error", async () => {
    await serving({}, {}, async (port) => {
      const text = '{"id":1,"method":"web3_sha3","params":["\xff"]}';
      for (const body of [Buffer.from(text, "latin1"), Buffer.from(text.replace("id", "\xc3"), "latin1")]) {
        const { status, json } = await send({ port, headers: JSON_HEADERS, body });
        assert.deepEqual([status, json.id, json.error.code], [400, null, -32700]);
      }
    });
  });

  it("inflates gzip bodies within the limit", async () => {
    await serving({ maxBodyBytes: 100_000 }, {}, async (port) => {
      const ask = (body: Uint8Array, coding: string) =>
        send({ port, headers: { ...JSON_HEADERS, "content-encoding": coding }, body });
      const request = Buffer.from(JSON.stringify(CHAIN_ID));
      for (const coding of ["gzip", "GZIP", "x-gzip"]) {
        assert.deepEqual((await ask(gzipSync(request), coding)).json, CHAIN_ID_ANSWER);
      }
      assert.deepEqual((await ask(request, "identity")).json, CHAIN_ID_ANSWER);
      const padded = Buffer.concat([request, Buffer.alloc(99_000, " ")]);
      assert.deepEqual((await ask(gzipSync(padded), "gzip")).json, CHAIN_ID_ANSWER);
      for (const size of [100_001, 50_000_000]) {
        assert.equal((await ask(gzipSync(Buffer.alloc(size, " ")), "gzip")).status, 413);
      }
      for (const malformed of [request, gzipSync(request).subarray(0, 20), Buffer.alloc(0)]) {
        assert.equal((await ask(malformed, "gzip")).status, 400);
      }
      const { status, json } = await ask(request, "br");
      assert.deepEqual([status, json.error.code], [415, -32000]);
    });
  });

  it("rejects bodies above the limit, with or without Content-Length", async () => {
    await serving({ maxBodyBytes: 1000 }, {}, async (port) => {
      const body = JSON.stringify({ ...CHAIN_ID, pad: "x".repeat(1000) });
      for (const headers of [JSON_HEADERS, { ...JSON_HEADERS, "transfer-encoding": "chunked" }]) {
        const answer = await send({ port, headers, body }).catch((error) => error as NodeJS.ErrnoException);
        // The server may close the connection before everything is sent.
        if (answer instanceof Error) assert.match(String(answer.code), /ECONNRESET|EPIPE/);
        else {
          assert.equal(answer.status, 413);
          assert.deepEqual(answer.json.error, { code: -32600, message: "the body has more than 1000 bytes" });
        }
      }
      assert.deepEqual((await post(port, CHAIN_ID)).json, CHAIN_ID_ANSWER);
    });
  });

  it("checks the host a request is addressed to", async () => {
    await serving({ hosts: ["node.example"] }, {}, async (port) => {
      const status = async (host: string) => (await post(port, CHAIN_ID, { host })).status;
      for (const host of ["localhost", "LOCALHOST:1", "node.example:4444", "127.0.0.1", "10.1.2.3:80", "[::1]:4444"]) {
        assert.equal(await status(host), 200, host);
      }
      for (const host of ["evil.example", "localhost.evil.example", "[node.example", "127.0.0.1.nip.io"]) {
        const { status, json } = await post(port, CHAIN_ID, { host });
        assert.equal(status, 403, host);
        assert.match(json.error.message, /--http\.hosts/);
      }
      const old = await rawHttp(
        port,
        `POST / HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]`,
      );
      assert.match(old, /^HTTP\/1\.1 400 /);
    });
    await serving({ hosts: ["*"] }, {}, async (port) => {
      assert.equal((await post(port, CHAIN_ID, { host: "any.example" })).status, 200);
    });
  });

  it("serves only web pages of allowed origins", async () => {
    const preflight = { "access-control-request-method": "POST" };
    await serving({ cors: ["https://App.example/"] }, {}, async (port) => {
      const origin = "https://app.example";
      const allowed = await post(port, CHAIN_ID, { origin });
      assert.deepEqual([allowed.status, allowed.headers["access-control-allow-origin"]], [200, origin]);
      const options = await send({ port, method: "OPTIONS", headers: { ...preflight, origin } });
      assert.equal(options.status, 204);
      assert.equal(options.headers["access-control-allow-origin"], origin);
      assert.equal(options.headers["access-control-allow-headers"], "Content-Type, Accept");
      assert.equal(options.headers["access-control-allow-methods"], "POST, OPTIONS");
      assert.equal(options.headers["access-control-max-age"], "600");
      const asking = async (names: string, from = origin) => {
        const headers = { ...preflight, origin: from, "access-control-request-headers": names };
        return (await send({ port, method: "OPTIONS", headers })).headers["access-control-allow-headers"];
      };
      // Headers of a browser wallet.
      assert.equal(await asking("content-type,x-metamask-origin"), "content-type,x-metamask-origin");
      for (const names of ["a b", "a,,b", "x".repeat(2_000)]) assert.equal(await asking(names), "Content-Type, Accept");
      assert.equal(await asking("x-secret", "https://evil.example"), undefined);
      for (const other of ["https://evil.example", "http://app.example", "null"]) {
        const { status, json } = await post(port, CHAIN_ID, { origin: other });
        assert.equal(status, 403);
        assert.match(json.error.message, /--http\.cors/);
        assert.equal((await send({ port, method: "OPTIONS", headers: { ...preflight, origin: other } })).status, 403);
      }
    });
    await serving({ cors: ["*"] }, {}, async (port) => {
      const answer = await post(port, CHAIN_ID, { origin: "https://any.example" });
      assert.deepEqual([answer.status, answer.headers["access-control-allow-origin"]], [200, "*"]);
    });
    await serving({}, {}, async (port) => {
      assert.equal((await post(port, CHAIN_ID, { origin: "https://app.example" })).status, 403);
      assert.equal((await send({ port, method: "OPTIONS" })).status, 204);
    });
  });

  it("serves pages of this machine and extensions if it is told to, and no page of another host", async () => {
    const named = "https://remix.example";
    await serving({ cors: [OWN_MACHINE, named] }, {}, async (port) => {
      const preflight = (origin: string) =>
        send({ port, method: "OPTIONS", headers: { "access-control-request-method": "POST", origin } });
      const own = ["http://localhost:3000", "https://localhost", "http://127.0.0.1:5173", "https://[::1]:8080"];
      const extensions = [
        "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
        "moz-extension://2b4f2a5c-9c1d-4f6e-8a3b-0d1e2f3a4b5c",
        "safari-web-extension://2B4F2A5C-9C1D-4F6E-8A3B-0D1E2F3A4B5C",
      ];
      for (const origin of [...own, ...extensions, named]) {
        const { status, headers } = await post(port, CHAIN_ID, { origin });
        assert.deepEqual([status, headers["access-control-allow-origin"]], [200, origin]);
        assert.match(String(headers.vary), /\bOrigin\b/);
        const options = await preflight(origin);
        assert.deepEqual([options.status, options.headers["access-control-allow-origin"]], [204, origin]);
      }
      for (const origin of [
        "null",
        "",
        "file://",
        "http://evil.example",
        "http://localhost.evil.example",
        "http://evil.example:80/http://localhost",
        "http://localhost@evil.example",
        "http://localhost:3000@evil.example",
        "http://evil-localhost:3000",
        "http://localhost:3000/",
        "http://localhost:3000, http://evil.example",
        "http://127.0.0.1.evil.example",
        "http://127x0x0x1",
        "http://0.0.0.0:3000",
        "http://192.168.0.1",
        "http://[::2]",
        "ftp://localhost",
        "extension://localhost",
        "https://chrome-extension.example",
        "chrome-extension://abc.evil.example",
        "chrome-extension://abc/evil",
      ]) {
        const { status, headers, json } = await post(port, CHAIN_ID, { origin });
        assert.deepEqual([status, headers["access-control-allow-origin"]], [403, undefined], origin);
        assert.match(json.error.message, /--http\.cors/);
        assert.equal((await preflight(origin)).status, 403, origin);
      }
      assert.equal((await post(port, CHAIN_ID)).status, 200);
      // A foreign domain points at this node; the origin does not matter.
      const rebound = { host: `evil.example:${port}`, origin: "http://localhost:3000" };
      assert.match((await post(port, CHAIN_ID, rebound)).json.error.message, /--http\.hosts/);
    });
  });

  it("does not start with a line break in an origin, or on a taken port", async () => {
    const http = { ...DEFAULT_RPC_CONFIG.http, cors: ["https://a\r\nset-cookie: x"] };
    assert.throws(
      () => serverOver(chain, config({ http })),
      (error) => error instanceof RpcServerError && error.code === "INVALID_CONFIGURATION",
    );
    await serving({}, {}, async (port) => {
      const second = serverOver(chain, config({ http: { ...DEFAULT_RPC_CONFIG.http, port } }));
      await assert.rejects(
        second.listen(),
        (error) => error instanceof RpcServerError && error.code === "LISTEN_FAILED",
      );
      await second.close();
    });
  });

  it("compresses long responses for clients that accept gzip", async () => {
    await serving({}, {}, async (port) => {
      const request = { ...CHAIN_ID, method: "eth_getBlockByNumber", params: ["0x1"] };
      const plain = await post(port, request);
      for (const accept of ["gzip", "br, GZIP;q=0.5"]) {
        const packed = await post(port, request, { "accept-encoding": accept });
        assert.equal(packed.headers["content-encoding"], "gzip");
        assert.deepEqual(gunzipSync(packed.body), plain.body);
      }
      for (const accept of ["identity", "gzip;q=0", "gzip; q=0.0"]) {
        assert.deepEqual((await post(port, request, { "accept-encoding": accept })).body, plain.body);
      }
      assert.deepEqual((await post(port, CHAIN_ID, { "accept-encoding": "gzip" })).json, CHAIN_ID_ANSWER);
    });
  });

  it("sends responses above 1 MiB in parts, plain and compressed, without breaking characters", async () => {
    // Characters of one to four bytes, so that parts would end within some.
    const clientVersion = "x\u00e9\u20ac\u{1f600}".repeat(500_000);
    const settings = config({ http: { ...DEFAULT_RPC_CONFIG.http, port: 0 } });
    const server = serverOver(chain, settings, { clientVersion });
    const { port } = await server.listen();
    try {
      const request = { ...CHAIN_ID, method: "web3_clientVersion" };
      const plain = await post(port, request);
      assert.equal(plain.headers["content-length"], String(plain.body.length));
      assert.equal(plain.json.result, clientVersion);
      const packed = await post(port, request, { "accept-encoding": "gzip" });
      assert.deepEqual(gunzipSync(packed.body), plain.body);
      const leaving = connect(port, "127.0.0.1");
      leaving.write(
        "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 54\r\n\r\n",
      );
      leaving.write('{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}');
      await new Promise((resolve) => leaving.once("data", resolve));
      leaving.destroy();
      assert.deepEqual((await post(port, CHAIN_ID)).json, CHAIN_ID_ANSWER);
    } finally {
      await server.close();
    }
  });

  it("responds to malformed HTTP and JSON and continues", async () => {
    await serving({}, {}, async (port) => {
      for (const text of [
        "\0\0\0",
        "GET\r\n\r\n",
        "POST / HTTP/9.9\r\n\r\n",
        "POST /%zz HTTP/1.1\r\nhost: x\r\n\r\n",
      ]) {
        assert.match(await rawHttp(port, text), /^HTTP\/1\.1 [45]\d\d /, JSON.stringify(text));
      }
      const bodies = [
        "",
        "{",
        "[",
        "nul",
        "\u0000",
        "[1,2",
        '{"a":}',
        '"x"',
        "null",
        "5",
        "[]",
        "\ufeff{}",
        "[".repeat(5000),
      ];
      for (const body of bodies) {
        const answer = await send({ port, headers: JSON_HEADERS, body });
        assert.equal(answer.status, 400, body.slice(0, 20));
        assert([-32700, -32600].includes(answer.json.error.code));
        assert.equal(answer.json.id, null);
      }
      const deep = `{"id":1,"method":"eth_chainId","params":${"[".repeat(101)}${"]".repeat(101)}}`;
      const answer = await send({ port, headers: JSON_HEADERS, body: deep });
      assert.deepEqual([answer.status, answer.json.error.code], [400, -32600]);
      assert.deepEqual((await post(port, CHAIN_ID)).json, CHAIN_ID_ANSWER);
    });
  });

  it("finishes in-flight requests when it closes", async () => {
    // Longer than the limit of a test, so the server must not wait for the idle connection.
    const http = { ...DEFAULT_RPC_CONFIG.http, port: 0, closeTimeout: 3_600_000 };
    const server = serverOver(chain, config({ http }));
    const { port } = await server.listen();
    const idle = connect(port, "127.0.0.1");
    await new Promise((resolve) => idle.once("connect", resolve));
    const idleClosed = new Promise((resolve) => idle.once("close", resolve));
    const batch = Array.from({ length: 100 }, (_, id) => ({
      ...CHAIN_ID,
      id,
      method: "eth_call",
      params: [{ to: `0x${"c0".repeat(20)}` }],
    }));
    let calls = 0;
    chain.onCall = () => {
      calls++;
      const until = performance.now() + 1;
      while (performance.now() < until);
      return {};
    };
    const answer = post(port, batch);
    while (calls === 0) await new Promise(setImmediate);
    await server.close();
    assert.equal((await answer).json.length, 100);
    await idleClosed;
    await assert.rejects(post(port, CHAIN_ID));
  });

  it("closes within its time limit although a client never finishes sending", async () => {
    const http = { ...DEFAULT_RPC_CONFIG.http, port: 0, closeTimeout: 50, receiveTimeout: 3_600_000 };
    const server = serverOver(chain, config({ http }));
    const { port } = await server.listen();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    );
    // This later request ensures that the server has received the beginning of the first one.
    await post(port, CHAIN_ID);
    await server.close();
  });
});

/** Sends raw bytes and resolves to everything received until the server closes. */
function rawHttp(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}
