import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyStore } from "@cambium/accounts";
import { local, main, type NetworkConfig, test as testNetwork } from "@cambium/config";
import { fromHex, toData } from "@cambium/primitives";
import { type DispatcherModules, METHODS, type RpcConfig } from "../src/index.js";
import { CONTRACT, FakeChain, makeLog, RICH, TOPIC_A } from "./fake-chain.js";
import { FakeLocalMiner, fakeMiner } from "./fake-miner.js";
import { FakePool } from "./fake-pool.js";
import { pooled } from "./pooled.js";
import { ask, dispatcherOver, type Json, SILENT } from "./service.js";
import { vectorCases } from "./vectors.js";

interface VectorCase {
  method: string;
  params: Json[];
  note?: string;
  kind?: "exact" | "shape" | "pattern";
  result?: Json;
  error?: { code: number; message: string; data?: string };
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/;
const SERVED = new Set(METHODS.map((method) => method.name));

/** Cases whose method, or a part of it, is not there yet; each is shown as pending under its own name. */
function isPending({ method, error, params }: VectorCase): boolean {
  if (error?.code === -32601) return false;
  // a fake chain has nothing to execute: these are tested over a real one
  if (method.startsWith("trace_") || method === "eth_bridgeState" || hasOverride(params, error)) return true;
  return !SERVED.has(method);
}

/** The parts of the node that a case speaks of. */
function partsOf({ method, note, result }: VectorCase): Partial<DispatcherModules> {
  const localMiner = new FakeLocalMiner().face();
  if (note === "second") localMiner.snapshot();
  const gasPrice = () => BigInt(result);
  return {
    ...(note === "wallet off" ? {} : { accounts: wallet() }),
    ...(/^mnr_|^eth_(coinbase|hashrate|mining)/.test(method) ? { miner: fakeMiner() } : {}),
    ...(/^evm_|^eth_mining/.test(method) ? { localMiner } : {}),
    ...(method === "eth_gasPrice" ? { pool: new FakePool().face({ gasPrice }) } : {}),
    ...(method === "txpool_inspect" && note !== "empty pool" ? { pool: INSPECTED } : {}),
  };
}

/** What the case without a note looks into. */
const INSPECTED = new FakePool().face({
  pending: () => {
    const to = fromHex("f02c1c8e6114b1dbe8937a39260b5b0a374432bb");
    const request = { nonce: 21n, gasPrice: 20_000_000_000n, gasLimit: 50_000n, to, value: 4_290_000_000_000_000n };
    return [pooled(request, { sender: "a7d9ddbe1f17865597fbd27ec712455208b6b76d" })];
  },
});

/** Keys in memory only. */
function wallet(): KeyStore {
  const store = new KeyStore({ folder: join(tmpdir(), "cambium-no-such-folder") });
  store.addSeed("sampleSeed1");
  return store;
}

function hasOverride(params: Json[], error: VectorCase["error"]): boolean {
  return params[2] !== undefined && typeof params[2] === "object" && error === undefined;
}

/** What the note of a case says of the configuration. */
function settingsOf({ note }: VectorCase): Partial<RpcConfig> {
  return { allowCallStateOverride: note?.includes("allowCallStateOverride = false") !== true };
}

function title({ method, params, note }: VectorCase): string {
  return `${method} ${JSON.stringify(params).slice(0, 100)}${note === undefined ? "" : `: ${note.slice(0, 60)}`}`;
}

function networkOf(note: string | undefined): NetworkConfig {
  return note === "test network" ? testNetwork : note === "local network" ? local : main;
}

describe("validation.json", () => {
  for (const vector of vectorCases<VectorCase[]>("validation.json")) {
    const run = isPending(vector) ? it.skip : it;
    run(title(vector), async () => {
      const chain = new FakeChain(main);
      for (let i = 0; i < 0x40; i++) chain.extend();
      const output = fromHex(vector.error!.data ?? "0x");
      chain.onCall = () => ({ status: 0, reverted: true, output });
      const dispatcher = dispatcherOver(chain, settingsOf(vector), SILENT, partsOf(vector));
      await assert.rejects(ask(dispatcher, vector.method, ...vector.params), (error: Json) => {
        assert.deepEqual(withoutDetail(error, vector), vector.error);
        return true;
      });
    });
  }
});

/** Where a case leaves a part of the message open, that part is named like there. */
function withoutDetail(error: Json, { error: expected }: VectorCase): Json {
  const [start, rest] = expected!.message.split("<detail>");
  return rest === "" && error.message.startsWith(start) ? { ...error, message: expected!.message } : error;
}

describe("methods.json", () => {
  for (const vector of vectorCases<VectorCase[]>("methods.json")) {
    const run = isPending(vector) ? it.skip : it;
    run(`${title(vector)} (${vector.kind})`, async () => {
      const chain = new FakeChain(networkOf(vector.note));
      const uncles = [chain.addSide().header];
      const block = chain.extend([[makeLog(CONTRACT, [TOPIC_A], new Uint8Array(32))], [], []], uncles);
      const own = { block: toData(block.hash), transaction: toData(block.transactions[1]!.hash) };
      const params = vector.kind === "exact" ? vector.params : localise(vector, own);
      const dispatcher = dispatcherOver(chain, {}, SILENT, partsOf(vector));
      if (/^eth_getFilter/.test(vector.method))
        params[0] = await ask(dispatcher, "eth_newFilter", { fromBlock: "0x1" });
      const result = await ask(dispatcher, vector.method, ...params);
      if (vector.kind === "exact") assert.deepEqual(result, vector.result);
      else assertSameShape(result, vector.result, vector.method);
    });
  }
});

/** The request about something that the test's own chain has. */
function localise({ method, params }: VectorCase, own: { block: string; transaction: string }): Json[] {
  if (method === "eth_sign") return [toData(wallet().addresses()[0]!), params[1]];
  if (method === "eth_getLogs") return [{ fromBlock: "0x1", toBlock: "0x1" }];
  if (method === "eth_call") return [{ ...params[0], from: toData(RICH) }, ...params.slice(1)];
  if (/^eth_getTransaction(ByHash|Receipt)$/.test(method)) return [own.transaction];
  if (/BlockHash|ByHash/.test(method)) return [own.block, ...params.slice(1)];
  if (method === "eth_getTransactionByBlockNumberAndIndex") return ["0x1", "0x3"];
  if (/Number/.test(method) && params.length > 0) return ["0x1", ...params.slice(1)];
  return params.map((param) => (param === "0x2" ? "latest" : param));
}

/** Same members with values of the same format; null fits anything. */
function assertSameShape(actual: Json, expected: Json, path: string): void {
  if (actual === null || expected === null || actual === false) return;
  assert.equal(typeof actual, typeof expected, path);
  if (Array.isArray(expected)) {
    assert(Array.isArray(actual), path);
    if (expected.length > 0 && actual.length > 0) assertSameShape(actual[0], expected[0], `${path}[0]`);
  } else if (typeof expected === "object") {
    // nodes serve more modules than the example's
    if (path === "rpc_modules") {
      assert.deepEqual({ ...actual, ...expected }, actual);
      return;
    }
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort(), path);
    for (const [name, value] of Object.entries(actual)) assertSameShape(value, expected[name], `${path}.${name}`);
  } else if (path.startsWith("txpool_inspect")) {
    assert.equal(actual, expected);
  } else if (typeof expected === "string") {
    assert.match(actual, /\.[rs]$/.test(path) ? QUANTITY : formatOf(expected), path);
  }
}

/** DATA of one of the fixed lengths, DATA of any length, QUANTITY, or a client version. */
function formatOf(text: string): RegExp {
  if (!text.startsWith("0x")) return text.includes("/") ? /^[^/]+(\/[^/]+){4}$/ : /^[0-9.]+$/;
  const digits = text.length - 2;
  if ([16, 40, 64, 512].includes(digits)) return new RegExp(`^0x[0-9a-f]{${digits}}$`);
  return /^0x([1-9a-f][0-9a-f]*|0|([0-9a-f]{2})*)$/;
}
