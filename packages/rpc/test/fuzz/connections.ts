import assert from "node:assert/strict";
import { METHODS } from "@cambium/api";
import { concatBytes, utf8 } from "@cambium/primitives";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { RealChain } from "@cambium/test-utils/api/real-chain";
import { FuzzedListener } from "@cambium/test-utils/clients/fuzzed-listener";
import { frame, postHead, RawSocket, UPGRADE } from "@cambium/test-utils/clients/raw-socket";
import { type FuzzTarget, texts } from "@cambium/test-utils/fuzz-target";
import { freePort } from "@cambium/test-utils/servers/free-port";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { createRpcServer, DEFAULT_RPC_CONFIG } from "../../src/index.js";
import { CLIENT_VERSION, config } from "../support/service.js";

const CHAIN_ID = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "eth_chainId", params: [] });
const SUBSCRIBE = JSON.stringify({ jsonrpc: "2.0", id: 8, method: "eth_subscribe", params: ["newHeads"] });
const LAST = JSON.stringify({ jsonrpc: "2.0", id: "last", method: "eth_chainId" });
const POST = postHead(CHAIN_ID.length) + CHAIN_ID;

const MAX_MESSAGE = 3_000;

interface Service {
  port: number;
  listener: FuzzedListener;
}

let opened: Promise<Service> | undefined;

/** A listener for both HTTP and WebSocket. */
async function open(): Promise<Service> {
  const port = await freePort();
  const { http, ws } = DEFAULT_RPC_CONFIG;
  const shared = {
    http: { ...http, port, cors: ["https://dapp.example"], maxBodyBytes: 3_000 },
    ws: { ...ws, port, maxMessageBytes: MAX_MESSAGE },
  };
  // Some messages are valid requests, which may also execute calls.
  const { chain } = await RealChain.open();
  const parts = { chain, pool: new FakePool().api(), clientVersion: CLIENT_VERSION, logger: SILENT };
  await createRpcServer({ ...parts, config: config(shared) }).listen();
  return { port, listener: new FuzzedListener(port, { request: POST, answer: '"id":7,"result":"0x21"}' }) };
}

/** Sends bytes; no response may be an internal error. */
async function exchange(bytes: Uint8Array): Promise<string> {
  const received = await (await (opened ??= open())).listener.exchange(bytes);
  assert.doesNotMatch(received, /^HTTP\/1\.1 50[012]|-32603/m);
  return received;
}

let upgraded: Promise<RawSocket> | undefined;

/** Sends a message over a WebSocket, then a valid request, which must be answered. */
async function message(bytes: Uint8Array): Promise<void> {
  const { port } = await (opened ??= open());
  const raw = await (upgraded ??= RawSocket.upgrade(port));
  raw.received = "";
  raw.socket.write(concatBytes(frame(0x82, bytes), frame(0x81, utf8(LAST))));
  await raw.until(() => raw.received.includes('"id":"last","result":"0x21"}'));
  assert(!raw.received.includes("-32603"));
}

function chunked(...chunks: readonly string[]): string {
  const encoded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return `${postHead()}${encoded.join("")}0\r\n\r\n`;
}

const FRAMES: readonly Uint8Array[] = [
  frame(0x81, utf8(CHAIN_ID)),
  concatBytes(frame(0x82, utf8(SUBSCRIBE)), frame(0x89, utf8("ping")), frame(0x88, Uint8Array.of(3, 0xe8))),
  concatBytes(frame(0x01, utf8(CHAIN_ID.slice(0, 9))), frame(0x8a, utf8("")), frame(0x80, utf8(CHAIN_ID.slice(9)))),
  frame(0x81, utf8(`[${CHAIN_ID},${CHAIN_ID}]`.padEnd(3_000))),
];

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** Sends any bytes to the listener. It must answer or close the connection, and continue to serve others. */
  "http-connection": {
    share: 4,
    maxLength: 100_000,
    seeds: () => [
      ...[POST, POST.repeat(9), chunked(CHAIN_ID), chunked("[", CHAIN_ID, "]"), postHead(4_000)].map(utf8),
      utf8("OPTIONS / HTTP/1.1\r\norigin: https://dapp.example\r\naccess-control-request-method: POST\r\n\r\n"),
      utf8(`${postHead(2).replace("\r\n\r\n", "\r\nexpect: 100-continue\r\n\r\n")}[]`),
      utf8(`${postHead(0).replace("\r\n\r\n", "\r\nexpect: more\r\n\r\n")}${UPGRADE}`),
      ...FRAMES.map((frames) => concatBytes(utf8(UPGRADE), frames)),
    ],
    words: [
      ...[
        "GET ",
        "POST ",
        "OPTIONS ",
        "HEAD ",
        "CONNECT ",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        " HTTP/1.0\r\n",
        "\r\n",
      ],
      ...["host: ", "host: evil.example\r\n", "[::1]", "origin: null\r\n", "content-type: application/json-rpc\r\n"],
      ...["content-length: 1\r\n", "content-length: 99999999999999999999\r\n", "transfer-encoding: chunked\r\n"],
      ...["transfer-encoding: gzip, chunked\r\n", "expect: 100-continue\r\n", "upgrade: h2c\r\n", "trailer: host\r\n"],
      ...["connection: close\r\n", "connection: upgrade\r\nupgrade: websocket\r\n", "sec-websocket-version: 8\r\n"],
      ...["sec-websocket-extensions: permessage-deflate\r\n", "sec-websocket-protocol: a\r\n", "ffffffffffffffff\r\n"],
      ...[
        "accept-encoding: gzip;q=0, *\r\n",
        "content-encoding: gzip\r\n",
        "http://localhost/",
        "/%ff",
        "?key=",
        "/../",
      ],
    ],
    run: async (input) => void (await exchange(input)),
  },
  /** Sends any bytes where the frames of a WebSocket begin. */
  "websocket-connection": {
    share: 4,
    maxLength: 100_000,
    seeds: () => FRAMES,
    words: [Uint8Array.of(0x81, 0xfe, 0, 126), Uint8Array.of(0x88, 0x80), Uint8Array.of(0x8a, 0x80, 0, 0, 0, 0)],
    async run(input) {
      assert.match(await exchange(concatBytes(utf8(UPGRADE), input)), /^HTTP\/1\.1 101 /);
    },
  },
  /** Sends any bytes as a message over WebSocket: neither the connection nor the service may end. */
  "websocket-message": {
    maxLength: MAX_MESSAGE,
    seeds: () => texts(CHAIN_ID, `[${CHAIN_ID},${CHAIN_ID}]`, SUBSCRIBE, SUBSCRIBE.replace("subscribe", "unsubscribe")),
    words: METHODS.map(({ name }) => name),
    run: message,
  },
};
