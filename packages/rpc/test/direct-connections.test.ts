import assert from "node:assert/strict";
import { main } from "@cambium/config";
import { toData } from "@cambium/primitives";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { RawSocket, UPGRADE } from "@cambium/test-utils/clients/raw-socket";
import { freePort } from "@cambium/test-utils/servers/free-port";
import type { HttpConfig } from "../src/config.js";
import { DEFAULT_RPC_CONFIG, type RpcConfig } from "../src/index.js";
import { config, serverOver } from "./support/service.js";

const CHAIN_ID = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
const CONTRACT = toData(new Uint8Array(20).fill(7));
const NEVER = 3_600_000;

interface Service {
  port: number;
  chain: FakeChain;
}

async function serving(
  http: Partial<HttpConfig>,
  changes: Partial<RpcConfig>,
  use: (service: Service) => Promise<void>,
): Promise<void> {
  const chain = new FakeChain(main);
  const full = config({ ...changes, http: { ...DEFAULT_RPC_CONFIG.http, port: 0, ...http } });
  const server = serverOver(chain, full);
  const { port } = await server.listen();
  try {
    await use({ port, chain });
  } finally {
    await server.close();
  }
}

/** Returns a request as any client sends it; `headers` follow those of every request. */
function requestText(body: unknown, { path = "/", headers = [] as string[] } = {}): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${bytes.length}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]);
}

/** Returns the number of whole responses at the beginning of a text. */
function responsesIn(text: string): number {
  let count = 0;
  for (let rest = text; ; count++) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    if (end < 4) return count;
    const length = /\r\ncontent-length: (\d+)/.exec(rest.slice(0, end))?.[1];
    const isChunked = /\r\ntransfer-encoding: chunked/i.test(rest.slice(0, end));
    const next = isChunked ? rest.indexOf("\r\n0\r\n\r\n", end - 2) + 7 : end + Number(length ?? 0);
    if (next < end || next > rest.length) return count;
    rest = rest.slice(next);
  }
}

async function answers(raw: RawSocket, parts: readonly Buffer[], count = 1): Promise<string> {
  raw.received = "";
  for (const part of parts) {
    raw.socket.write(part);
    // The server reads each part separately.
    if (parts.length > 1) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await raw.until(() => responsesIn(raw.received) >= count);
  return raw.received.replace(/\r\nDate: [^\r]*/gi, "");
}

describe("a request that arrives in one piece", () => {
  it("is answered like one that arrives in several", async () => {
    const keys = ["first"];
    await serving({ hosts: [], cors: ["https://dapp.example"] }, { auth: { keys } }, async ({ port, chain }) => {
      let output = new Uint8Array(0);
      chain.onCall = () => ({ output });
      const call = { id: 1, method: "eth_call", params: [{ to: CONTRACT }] };
      const gzip = ["Accept-Encoding: br, gzip, deflate"];
      const path = "/v1/first";
      const cases: [string, Buffer, number?][] = [
        ["one request", requestText(CHAIN_ID, { path })],
        ["a batch", requestText([CHAIN_ID, { ...CHAIN_ID, id: "zwölf" }], { path })],
        ["a notification", requestText({ jsonrpc: "2.0", method: "eth_chainId" }, { path })],
        ["no JSON", requestText(Buffer.from("{"), { path })],
        ["no UTF-8", requestText(Buffer.from([0x22, 0xff, 0x22]), { path })],
        ["no body", requestText(Buffer.alloc(0), { path })],
        ["an allowed origin", requestText(CHAIN_ID, { path, headers: ["Origin: https://dapp.example"] })],
        ["another origin", requestText(CHAIN_ID, { path, headers: ["Origin: https://other.example"] })],
        ["a wrong key", requestText(CHAIN_ID, { path: "/second" })],
        ["a repeated header", requestText(CHAIN_ID, { path, headers: ["Accept: a", "Accept: b"] })],
        ["an unknown method", requestText({ ...CHAIN_ID, method: "eth_none" }, { path })],
        ["a response worth compressing", requestText(call, { path, headers: gzip }), 2_000],
        ["a long response", requestText(call, { path }), 2_000_000],
        ["a long response in gzip", requestText(call, { path, headers: gzip }), 2_000_000],
      ];
      for (const [what, text, length = 0] of cases) {
        output = new Uint8Array(length);
        const whole = await RawSocket.open(port);
        const inParts = await RawSocket.open(port);
        const [expected, actual] = [
          await answers(inParts, [text.subarray(0, 9), text.subarray(9)]),
          await answers(whole, [text]),
        ];
        assert.equal(actual, expected, what);
        assert.match(await answers(whole, [requestText(CHAIN_ID, { path })]), /"result":"0x1e"/, what);
        for (const { socket } of [whole, inParts]) socket.destroy();
      }
    });
  });

  it("is refused beyond the rate limit, and beyond the size of bodies", async () => {
    await serving({ maxBodyBytes: 200 }, { rateLimit: { requests: 2, window: NEVER } }, async ({ port }) => {
      const raw = await RawSocket.open(port);
      for (const status of [200, 200, 429]) {
        assert.match(await answers(raw, [requestText(CHAIN_ID)]), new RegExp(`^HTTP/1.1 ${status} `));
      }
      assert.match(raw.received, /\r\nretry-after: \d+\r\n/);
      raw.socket.write(requestText({ ...CHAIN_ID, params: ["0".repeat(200)] }));
      raw.received = "";
      await raw.closed;
      assert.match(raw.received, /^HTTP\/1.1 413 /);
    });
  });
});

describe("a connection with whole requests", () => {
  it("answers in order what is sent before earlier responses, whole or in parts", async () => {
    await serving({}, {}, async ({ port }) => {
      const numbered = (id: number) => requestText({ ...CHAIN_ID, id });
      const ids = (text: string) => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id));
      for (const cut of [1, 30, numbered(1).length - 1, numbered(1).length, numbered(1).length + 1]) {
        const raw = await RawSocket.open(port);
        assert.deepEqual(ids(await answers(raw, [numbered(1)])), [1]);
        const bytes = Buffer.concat([2, 3, 4, 5].map(numbered));
        assert.deepEqual(ids(await answers(raw, [bytes.subarray(0, cut), bytes.subarray(cut)], 4)), [2, 3, 4, 5]);
        assert.deepEqual(ids(await answers(raw, [numbered(6)])), [6]);
        raw.socket.destroy();
      }
      const raw = await RawSocket.open(port);
      raw.socket.write(numbered(1));
      raw.socket.write(numbered(2));
      await raw.until(() => responsesIn(raw.received) === 2);
      assert.deepEqual(ids(raw.received), [1, 2]);
      raw.socket.destroy();
    });
  });

  it("can become a WebSocket", async () => {
    const { http, ws } = DEFAULT_RPC_CONFIG;
    // Equal ports are required for a shared listener.
    const port = await freePort();
    await serving({ port }, { ws: { ...ws, enabled: true, host: http.host, port } }, async () => {
      const raw = await RawSocket.open(port);
      assert.match(await answers(raw, [requestText(CHAIN_ID)]), /"result":"0x1e"/);
      raw.received = "";
      raw.socket.write(UPGRADE);
      await raw.until(() => raw.received.includes("\r\n\r\n"));
      assert.match(raw.received, /^HTTP\/1.1 101 /);
      raw.socket.destroy();
    });
  });

  it("is closed when nothing is sent for the time of idle connections, or nothing is read for that of slow readers", async () => {
    const times = { keepAliveTimeout: 300, receiveTimeout: 300, writeTimeout: 300 };
    await serving(times, { maxResponseSize: 0 }, async ({ port, chain }) => {
      const silent = await RawSocket.open(port);
      const idle = await RawSocket.open(port);
      await answers(idle, [requestText(CHAIN_ID)]);
      chain.onCall = () => ({ output: new Uint8Array(20_000_000) });
      const slow = await RawSocket.open(port);
      slow.socket.pause();
      slow.socket.write(requestText({ id: 1, method: "eth_call", params: [{ to: CONTRACT }] }));
      await Promise.all([silent.closed, idle.closed]);
      assert.match(silent.received, /^HTTP\/1.1 408 /);
      // Reads first return the bytes buffered by the system, then the end of the connection.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      slow.socket.resume();
      await slow.closed;
      assert.equal(responsesIn(slow.received), 0);
    });
  });

  it("ends with the response when the server closes", async () => {
    let answered: Promise<string> | undefined;
    await serving({}, {}, async ({ port, chain }) => {
      const idle = await RawSocket.open(port);
      await answers(idle, [requestText(CHAIN_ID)]);
      let begun = () => {};
      const hasBegun = new Promise<void>((resolve) => (begun = resolve));
      chain.onCall = () => {
        begun();
        return {};
      };
      const busy = await RawSocket.open(port);
      const batch = [{ id: 1, method: "eth_call", params: [{ to: CONTRACT }] }, CHAIN_ID];
      busy.socket.write(requestText(batch));
      await hasBegun;
      answered = busy.closed.then(() => busy.received);
    });
    assert.match(await answered!, /^HTTP\/1.1 200 .*"result":"0x1e"/s);
  });
});
