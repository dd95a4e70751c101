import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { main } from "@cambium/config";
import { toData } from "@cambium/primitives";
import { CONTRACT, FakeChain } from "@cambium/test-utils/api/fake-chain";
import { frame, postHead, RawSocket, UPGRADE } from "@cambium/test-utils/clients/raw-socket";
import { freePort } from "@cambium/test-utils/servers/free-port";
import type { ConnectionConfig, HttpConfig, WsConfig } from "../src/config.js";
import { DEFAULT_RPC_CONFIG } from "../src/index.js";
import { JSON_HEADERS, post, send } from "./support/http-client.js";
import { config, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

const CHAIN_ID = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
const CHAIN_ID_ANSWER = { jsonrpc: "2.0", id: 1, result: "0x1e" };

/** Milliseconds, longer than any test may take. */
const NEVER = 3_600_000;

const [TEXT, PING] = [0x81, 0x89];
/** The beginning of a message, and a frame that continues it. */
const [BEGINNING, CONTINUATION] = [0x01, 0x00];

interface Limits {
  http?: Partial<HttpConfig>;
  ws?: Partial<WsConfig>;
  connections?: Partial<ConnectionConfig>;
}

interface Service {
  http: number;
  ws: number;
  chain: FakeChain;
}

/** Runs `use` against a new server whose time limits are not reached unless they are set. */
async function serving({ http, ws, connections }: Limits, use: (service: Service) => Promise<void>): Promise<void> {
  const defaults = DEFAULT_RPC_CONFIG;
  const times = { keepAliveTimeout: NEVER, receiveTimeout: NEVER, writeTimeout: NEVER, closeTimeout: 0 };
  const chain = new FakeChain(main);
  const full = config({
    http: { ...defaults.http, port: 0, ...times, ...http },
    ws: { ...defaults.ws, port: 0, enabled: true, pingInterval: 0, writeTimeout: NEVER, ...ws },
    connections: { ...defaults.connections, ...connections },
    maxResponseSize: 0,
  });
  const server = serverOver(chain, full);
  const address = await server.listen();
  try {
    await use({ http: address.port, ws: address.ws!.port, chain });
  } finally {
    await server.close();
  }
}

/**
 * Returns a request whose response has `bytes` characters: more than the system buffers for a client that does not
 * read.
 */
function largeResponse(chain: FakeChain, bytes: number): string {
  chain.onCall = () => ({ output: new Uint8Array(bytes / 2) });
  return JSON.stringify({ id: 1, method: "eth_call", params: [{ to: toData(CONTRACT) }] });
}

/** Opens clients that send a request and then read nothing. */
async function slowReaders(port: number, count: number, text: string): Promise<RawSocket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const raw = await RawSocket.open(port);
      raw.socket.pause();
      raw.socket.write(postHead(text.length) + text);
      return raw;
    }),
  );
}

/** Repeats a light request until it is served. */
async function untilServed(port: number): Promise<void> {
  const ask = () => post(port, CHAIN_ID).catch(() => undefined);
  while ((await ask())?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("clients that do not read", () => {
  it("lose their connection when nothing is read for a time", async () => {
    await serving({ http: { writeTimeout: 100, maxConnections: 1 } }, async ({ http, chain }) => {
      const [slow] = await slowReaders(http, 1, largeResponse(chain, 10_000_000));
      await untilServed(http);
      slow!.socket.resume();
      await slow!.closed;
      assert(slow!.received.length < 10_000_000);
    });
  });

  it("hold no more than a budget of unsent bytes, and do not stop others", async () => {
    await serving({ connections: { maxUnsentBytes: 25_000_000 } }, async ({ http, chain }) => {
      const text = largeResponse(chain, 10_000_000);
      const slow = await slowReaders(http, 6, text);
      let calls = 0;
      const { onCall } = chain;
      chain.onCall = (call) => {
        calls++;
        return onCall(call);
      };
      while (calls < 6) await untilServed(http);
      await untilServed(http);
      // A client that reads is served even though its response is as large.
      chain.onCall = onCall;
      assert.equal((await send({ port: http, headers: JSON_HEADERS, body: text })).status, 200);
      for (const { socket } of slow) socket.end().resume();
      await Promise.all(slow.map(({ closed }) => closed));
      const whole = slow.filter(({ received }) => received.length > 10_000_000).length;
      assert(whole <= 2, `${whole} whole responses`);
    });
  });

  it("do not fill the memory with answers to pings", async () => {
    await serving({}, async ({ ws }) => {
      const polite = await RawSocket.upgrade(ws);
      polite.socket.write(frame(PING, Buffer.from("are you there?")));
      await polite.until(() => polite.received.includes("\x8a\x0eare you there?"));

      const flood = await RawSocket.upgrade(ws);
      flood.socket.write(Buffer.concat(Array(1_000).fill(frame(PING, Buffer.alloc(125)))));
      await flood.until(() => flood.received.includes("too many pings"));
      assert(flood.received.length < 100 * 127);
      flood.socket.destroy();
    });
  });
});

describe("clients that send half of a request", () => {
  it("lose their connection after the time for receiving it", async () => {
    await serving({ http: { receiveTimeout: 100 } }, async ({ http, ws }) => {
      for (const text of [
        "",
        "POST / HT",
        postHead(100).slice(0, -2),
        `${postHead(100)}{`,
        `${postHead()}1\r\n{\r\n`,
      ]) {
        for (const port of [http, ws]) {
          const raw = await RawSocket.open(port);
          raw.socket.write(text);
          await raw.closed;
          // The WebSocket listener refuses a request without reading its body.
          assert.match(raw.received, port === http ? /^(HTTP\/1\.1 408 |$)/ : /^(HTTP\/1\.1 (408|426) |$)/, text);
        }
      }
      await untilServed(http);
    });
  });

  it("cannot extend the time by sending more frames or chunks", async () => {
    await serving({ http: { receiveTimeout: 100 } }, async ({ http, ws }) => {
      const [body, message] = await Promise.all([RawSocket.open(http), RawSocket.upgrade(ws)]);
      body.socket.write(postHead());
      message.socket.write(frame(BEGINNING, Buffer.from("[")));
      const more = setInterval(() => {
        body.socket.write("1\r\n \r\n");
        message.socket.write(frame(CONTINUATION, Buffer.from(" ")));
        message.socket.write(frame(PING, Buffer.alloc(0)));
      }, 20);
      await Promise.all([body.closed, message.closed]);
      clearInterval(more);
      assert.match(message.received, /the message is not complete/);
    });
  });

  it("have that time for every message", async () => {
    await serving({ http: { receiveTimeout: 300 } }, async ({ ws }) => {
      const client = await RawSocket.upgrade(ws);
      const text = Buffer.from(JSON.stringify(CHAIN_ID));
      const whole = frame(TEXT, text);
      const answers = () => client.received.split(JSON.stringify(CHAIN_ID_ANSWER)).length - 1;
      // Each write ends a message and begins the next one.
      client.socket.write(whole.subarray(0, 10));
      for (let i = 1; i <= 20; i++) {
        client.socket.write(Buffer.concat([whole.subarray(10), whole.subarray(0, 10)]));
        await client.until(() => answers() === i);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      client.socket.destroy();
    });
  });

  it("hold no more than a budget of unread bytes, and do not stop others", async () => {
    await serving({ connections: { maxUnreadBytes: 1_000_000 } }, async ({ http, ws }) => {
      const bodies = await Promise.all(Array.from({ length: 5 }, () => RawSocket.open(http)));
      for (const { socket } of bodies) socket.write(postHead(450_000) + " ".repeat(400_000));
      const messages = await Promise.all(Array.from({ length: 5 }, () => RawSocket.upgrade(ws)));
      for (const { socket } of messages) socket.write(frame(BEGINNING, Buffer.alloc(400_000, " ")));
      let closed = 0;
      for (const { closed: one } of [...bodies, ...messages]) void one.then(() => closed++);
      while (closed < 8) await untilServed(http);
      // A smaller request of another client replaces larger ones.
      const padded = { ...CHAIN_ID, pad: "x".repeat(300_000) };
      assert.deepEqual((await post(http, padded)).json, CHAIN_ID_ANSWER);
      const client = await WsClient.open(ws);
      assert.deepEqual(await client.raw(JSON.stringify({ ...padded, id: "a" })), { ...CHAIN_ID_ANSWER, id: "a" });
      for (const { received } of bodies) assert.match(received, /^(HTTP\/1\.1 503 |$)/);
    });
  });

  it("are refused after a while if what they announce has no room", async () => {
    await serving({ connections: { maxUnreadBytes: 1_000_000 } }, async ({ http }) => {
      const text = JSON.stringify(CHAIN_ID).padEnd(900_000);
      const first = await RawSocket.open(http);
      first.socket.write(postHead(text.length) + text.slice(0, 100));
      const second = await RawSocket.open(http);
      second.socket.write(postHead(text.length) + text.slice(0, 100));
      await untilServed(http);
      assert.equal(second.received, "");
      await second.closed;
      assert.match(second.received, /^HTTP\/1\.1 503 /);
      first.socket.write(text.slice(100));
      await first.until(() => first.received.includes('"result":"0x1e"'));
      first.socket.destroy();
    });
  });

  it("return the budget when they end in any way", async () => {
    await serving({ connections: { maxUnreadBytes: 1_000_000 } }, async ({ http, ws }) => {
      const padded = { ...CHAIN_ID, pad: "x".repeat(700_000) };
      for (let i = 0; i < 10; i++) {
        const [body, message] = await Promise.all([RawSocket.open(http), RawSocket.upgrade(ws)]);
        body.socket.end(postHead(450_000) + " ".repeat(400_000));
        message.socket.end(frame(BEGINNING, Buffer.alloc(400_000, " ")));
        await Promise.all([body.closed, message.closed]);
        assert.deepEqual((await post(http, padded)).json, CHAIN_ID_ANSWER);
      }
    });
  });

  it("leave nothing in memory once their connection is closed", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    await serving({ connections: { maxUnreadBytes: 1_000_000 } }, async ({ http, ws }) => {
      const bytes = 400_000;
      collect();
      const before = process.memoryUsage().arrayBuffers;
      let closed = 0;
      for (let i = 0; i < 150; i++) {
        const message = await RawSocket.upgrade(ws);
        void message.closed.then(() => closed++);
        message.socket.write(frame(BEGINNING, Buffer.alloc(bytes, " ")));
      }
      // The budget has room for two.
      while (closed < 148) await untilServed(http);
      let kept = Number.POSITIVE_INFINITY;
      // The engine releases the memory of buffers in the background after it has found them unused.
      for (let attempt = 0; attempt < 5 && kept >= 50 * bytes; attempt++) {
        collect();
        await untilServed(http);
        kept = process.memoryUsage().arrayBuffers - before;
      }
      assert(kept < 50 * bytes, `${kept} bytes`);
    });
  });

  it("cannot cause work with tiny chunks or frames", async () => {
    await serving({}, async ({ http, ws }) => {
      const text = JSON.stringify({ ...CHAIN_ID, pad: "x".repeat(900) });
      const chunks = (body: string) => [...body].map((char) => `1\r\n${char}\r\n`).join("");
      const few = await RawSocket.open(http);
      few.socket.end(`${postHead()}${chunks(text)}0\r\n\r\n`);
      await few.closed;
      assert.match(few.received, /^HTTP\/1\.1 200 /);
      const many = await RawSocket.open(http);
      many.socket.write(`${postHead()}${chunks(text.repeat(20))}`);
      await many.closed;
      assert.match(many.received, /^HTTP\/1\.1 400 /);
      const message = await RawSocket.upgrade(ws);
      message.socket.write(frame(BEGINNING, Buffer.from("[")));
      message.socket.write(Buffer.alloc(7 * 5_000, Buffer.from([CONTINUATION, 0x81, 0, 0, 0, 0, 0])));
      await message.until(() => message.received.startsWith("\x88"));
      message.socket.destroy();
    });
  });
});

describe("idle connections", () => {
  it("make room for new ones", async () => {
    await serving({ http: { maxConnections: 5 }, ws: { maxConnections: 5 } }, async ({ http, ws }) => {
      const keepAlive = new Agent({ keepAlive: true });
      const ask = () => askOn(keepAlive, http);
      const port = await ask();
      const subscriber = await WsClient.open(ws);
      await subscriber.result("eth_subscribe", "newHeads");
      const idle = await Promise.all(Array.from({ length: 30 }, (_, i) => RawSocket.open(i % 2 ? http : ws)));
      await Promise.all(Array.from({ length: 20 }, () => WsClient.open(ws)));
      assert.deepEqual((await post(http, CHAIN_ID)).json, CHAIN_ID_ANSWER);
      assert.equal(await (await WsClient.open(ws)).result("eth_chainId"), "0x1e");
      // Connections in use stay.
      assert.equal(await ask(), port);
      assert.equal(await subscriber.result("eth_chainId"), "0x1e");
      keepAlive.destroy();
      for (const { socket } of idle) socket.destroy();
    });
  });
});

/** Sends a request and resolves to the client's port. */
function askOn(agent: Agent, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, agent, method: "POST", headers: JSON_HEADERS }, (response) => {
      const { localPort } = response.socket;
      response.resume().on("end", () => resolve(localPort!));
    });
    asked.on("error", reject).end(JSON.stringify(CHAIN_ID));
  });
}

describe("clients that give up", () => {
  it("cause no work if they do so before their connection is accepted", async () => {
    await serving({}, async ({ http, chain }) => {
      let calls = 0;
      chain.onCall = () => {
        calls++;
        return {};
      };
      const text = JSON.stringify({ id: 1, method: "eth_call", params: [{ to: toData(CONTRACT) }] });
      const raws = await Promise.all(Array.from({ length: 10 }, () => RawSocket.open(http)));
      for (const { socket } of raws) socket.end(postHead(text.length) + text);
      await Promise.all(raws.map(({ closed }) => closed));
      assert.equal(calls, 0);
      assert.equal((await post(http, JSON.parse(text))).status, 200);
      assert.equal(calls, 1);
    });
  });
});

describe("other misuse of connections", () => {
  it("is bounded or refused", async () => {
    await serving({}, async ({ http, ws }) => {
      const text = JSON.stringify(CHAIN_ID);
      const whole = postHead(text.length) + text;
      const answerTo = async (bytes: string | Buffer, port = http) => {
        const raw = await RawSocket.open(port);
        raw.socket.end(bytes);
        await raw.closed;
        return raw.received;
      };
      const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);

      // Pipelined requests are answered in order, or the connection is closed.
      const pipelined = statuses(await answerTo(whole.repeat(1_000)));
      assert(pipelined.length > 0 && pipelined.every((status) => status === "200" || status === "503"));
      assert.deepEqual(statuses(await answerTo(whole.repeat(8))), Array(8).fill("200"));
      // Headers.
      const manyHeaders = whole.replace("\r\n\r\n", `\r\n${"a: b\r\n".repeat(20_000)}\r\n`);
      assert.deepEqual(statuses(await answerTo(manyHeaders)), ["431"]);
      const hugeHeader = whole.replace("\r\n\r\n", `\r\na: ${"b".repeat(100_000)}\r\n\r\n`);
      assert.deepEqual(statuses(await answerTo(hugeHeader)), ["431"]);
      const trailers = `${postHead()}0\r\n${"a: b\r\n".repeat(20_000)}\r\n`;
      assert.deepEqual(statuses(await answerTo(trailers)), ["431"]);
      const extension = `${postHead()}1;${"a".repeat(100_000)}\r\n{\r\n`;
      assert.match(await answerTo(extension), /^(HTTP\/1\.1 4\d\d |$)/);
      // Requests of old and unusual clients.
      assert.deepEqual(statuses(await answerTo(whole.replace("HTTP/1.1", "HTTP/1.0"))), ["200"]);
      const expecting = whole.replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n");
      assert.deepEqual(statuses(await answerTo(expecting)), ["100", "200"]);
      assert.deepEqual(statuses(await answerTo("CONNECT a:1 HTTP/1.1\r\nhost: localhost\r\n\r\n")), []);
      assert.deepEqual(statuses(await answerTo(`GET / HTTP/1.1\r\nhost: localhost\r\n\r\n`)), ["405"]);
      const closing = whole.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
      assert.equal(statuses(await answerTo(closing + whole)).length, 1);
      // Compressed requests are not decompressed.
      const bomb = gzipSync(Buffer.alloc(1_000_000, " "));
      const headers = { ...JSON_HEADERS, "content-encoding": "gzip" };
      assert.equal((await send({ port: http, headers, body: bomb })).json.error.code, -32700);
      const compressed = await RawSocket.upgrade(ws);
      compressed.socket.write(frame(TEXT | 0x40, Buffer.alloc(10)));
      await compressed.until(() => compressed.received.startsWith("\x88"));
      compressed.socket.destroy();
      await untilServed(http);
    });
  });

  it("cannot keep a connection by an upgrade that follows unanswered requests", async () => {
    await serving({}, async ({ ws }) => {
      const raw = await RawSocket.open(ws);
      raw.socket.write(`${postHead(0).repeat(2)}${UPGRADE}${postHead(0)}`);
      await raw.closed;
      assert.deepEqual(raw.received.match(/HTTP\/1.1 \d+/g), ["HTTP/1.1 426", "HTTP/1.1 426"]);
    });
  });

  it("cannot confuse a server by what comes ahead of an upgrade in the same packet", async () => {
    const expecting = postHead(0).replace("\r\n", "\r\nexpect: anything\r\n");
    const other = UPGRADE.replace("websocket", "h2c");
    await serving({}, async ({ http, ws }) => {
      for (const first of [
        expecting,
        expecting.repeat(3),
        other,
        UPGRADE,
        `${other}${expecting}`,
        "CONNECT a:1 HTTP/1.1\r\n\r\n",
      ]) {
        for (const port of [http, ws]) {
          for (const upgrade of [UPGRADE, other]) {
            const raw = await RawSocket.open(port);
            raw.socket.write(first + upgrade);
            await untilServed(http);
            raw.socket.destroy();
          }
        }
      }
    });
  });

  it("are refused if they expect what the server does not know", async () => {
    await serving({}, async ({ http }) => {
      const raw = await RawSocket.open(http);
      raw.socket.write(postHead(0).replace("\r\n", "\r\nexpect: anything\r\n"));
      await raw.until(() => raw.received.startsWith("HTTP/1.1 417 "));
      raw.socket.destroy();
    });
  });

  it("cannot take more than one connection, or another's turn, by requests for other upgrades", async () => {
    const text = JSON.stringify(CHAIN_ID);
    const request = postHead(text.length).replace("\r\n", "\r\nconnection: upgrade\r\nupgrade: h2c\r\n") + text;
    await serving({ http: { maxConnections: 1 } }, async ({ http }) => {
      const raw = await RawSocket.open(http);
      for (let answers = 1; answers <= 30; answers++) {
        raw.socket.write(request);
        await raw.until(() => raw.received.split('"result":"0x1e"').length - 1 === answers);
      }
      raw.socket.write(postHead(text.length) + text + request);
      await raw.closed;
      assert.equal(raw.received.split('"result":"0x1e"').length - 1, 31);
    });
  });

  it("cannot keep a connection that reads no response ahead of an upgrade", async () => {
    const port = await freePort();
    await serving({ http: { port, writeTimeout: 100, maxConnections: 1 }, ws: { port } }, async ({ http, chain }) => {
      const [slow] = await slowReaders(http, 1, largeResponse(chain, 10_000_000));
      slow!.socket.write(UPGRADE);
      await untilServed(http);
      slow!.socket.resume();
      await slow!.closed;
      assert(slow!.received.length < 10_000_000);
    });
  });

  it("cannot fill the event loop with tiny messages", async () => {
    await serving({}, async ({ ws }) => {
      const flood = await RawSocket.upgrade(ws);
      flood.socket.write(Buffer.alloc(6 * 10_000, Buffer.from([TEXT, 0x80, 0, 0, 0, 0])));
      await flood.until(() => flood.received.length > 0);
      const other = await WsClient.open(ws);
      assert.equal(await other.result("eth_chainId"), "0x1e");
      const answer = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"JSON parse error"}}';
      const answers = () => flood.received.split(answer).length - 1;
      assert(answers() < 10_000);
      await flood.until(() => answers() === 10_000);
    });
  });
});
