import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { METHODS } from "@cambium/api";
import { createChainEvm } from "@cambium/chain";
import { local } from "@cambium/config";
import { everyPart } from "@cambium/test-utils/api/every-part";
import { NOW, RealChain } from "@cambium/test-utils/api/real-chain";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { openTransactionPool } from "@cambium/txpool";
import { createRpcServer, DEFAULT_RPC_CONFIG, moduleConfig, type RpcServer } from "../src/index.js";
import { post } from "./support/http-client.js";
import { CLIENT_VERSION, type Json } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

const DOCUMENT = resolve(import.meta.dirname, "../../../docs/specification/09-json-rpc.md");

const NOT_FOUND = -32601;
const INTERNAL = -32603;

interface Listed {
  method: string;
  isSupported: boolean;
}

/** Returns the methods in the first column of the tables in sections 7 to 13; those of section 7.8 are not served. */
function listedMethods(text: string): Listed[] {
  const sections = /^## 7\..*?(?=^## 14\.)/ms.exec(text)![0].split(/^###? /m);
  return sections.flatMap((section) =>
    section.split("\n").flatMap((line) => {
      const names = line.split("|")[1]?.match(/`[a-z0-9]+_[A-Za-z0-9]+`/g) ?? [];
      return names.map((name) => ({ method: name.slice(1, -1), isSupported: !section.startsWith("7.8 ") }));
    }),
  );
}

describe("the tables of methods in the specification", () => {
  let listed: Listed[];
  let server: RpcServer;
  let httpPort: number;
  let client: WsClient;
  let folder: string;
  const unexpected: object[] = [];

  before(async () => {
    listed = listedMethods(readFileSync(DOCUMENT, "utf8"));
    const { chain } = await RealChain.open();
    const { folder: keys, ...parts } = everyPart();
    folder = keys;
    const names = new Set([...METHODS.map(({ module }) => module), "db", "shh"]);
    server = createRpcServer({
      ...parts,
      chain,
      pool: openTransactionPool({ chain, evm: createChainEvm(local), now: () => NOW }),
      config: {
        ...DEFAULT_RPC_CONFIG,
        modules: Object.fromEntries([...names].map((name) => [name, moduleConfig()])),
        http: { ...DEFAULT_RPC_CONFIG.http, port: 0 },
        ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 },
      },
      clientVersion: CLIENT_VERSION,
      logger: { ...SILENT, error: (data) => unexpected.push(data) },
    });
    const { port, ws } = await server.listen();
    httpPort = port;
    client = await WsClient.open(ws!.port);
  });
  after(async () => {
    client?.close();
    await server?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  it("list the expected methods", () => {
    assert(listed.length > 100, `${listed.length} methods`);
    assert(listed.some(({ method, isSupported }) => method === "sco_peerList" && isSupported));
    assert(listed.some(({ method, isSupported }) => method === "db_putHex" && !isSupported));
  });

  it("list methods that respond over both transports", async () => {
    for (const { method, isSupported } of listed) {
      const request = { jsonrpc: "2.0", id: 1, method, params: parametersOf(method) };
      const overHttp: Json = (await post(httpPort, request)).json;
      const overWs: Json = await client.ask(method, ...request.params);
      const needsConnection = /^eth_(un)?subscribe$/.test(method);
      assert.equal(overHttp.error?.code === NOT_FOUND, !isSupported || needsConnection, `${method} over HTTP`);
      assert.equal(overWs.error?.code === NOT_FOUND, !isSupported, `${method} over WebSocket`);
      for (const { error } of [overHttp, overWs]) assert.notEqual(error?.code, INTERNAL, method);
    }
    assert.deepEqual(unexpected, []);
  });

  it("list methods that return a result if they take no parameters", async () => {
    const plain = METHODS.filter(({ params }) => params.every(({ required }) => !required));
    for (const { name, params } of plain) {
      if (!listed.some(({ method }) => method === name) || params.length > 0) continue;
      assert("result" in (await client.ask(name)), name);
    }
  });
});

/** Returns values for the required parameters of a method, well-formed where that is simple. */
function parametersOf(method: string): Json[] {
  const params = METHODS.find(({ name }) => name === method)?.params.filter(({ required }) => required) ?? [];
  return params.map(({ type }) => EXAMPLES[type.name] ?? "0x1");
}

const EXAMPLES: Readonly<Record<string, Json>> = {
  ADDRESS: `0x${"11".repeat(20)}`,
  HASH32: `0x${"22".repeat(32)}`,
  BLOCK: "latest",
  CALL: { to: `0x${"11".repeat(20)}` },
  LOG_FILTER: {},
  TRACE_FILTER: {},
  ADDRESS_OR_BLOCK: "192.0.2.1",
};
