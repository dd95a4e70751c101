import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { ChainFeed, FilterRegistry, METHODS, RPC_CODES, shapeRefusal } from "@cambium/api";
import { createChainEvm } from "@cambium/chain";
import { local } from "@cambium/config";
import { BlockBuilder, MinerServer } from "@cambium/miner";
import { toData, toHex } from "@cambium/primitives";
import { everyPart } from "@cambium/test-utils/api/every-part";
import { LOGGER, NOW, REWARDED, RealChain, SENDER } from "@cambium/test-utils/api/real-chain";
import { type FuzzTarget, jsonTexts, textOf, texts } from "@cambium/test-utils/fuzz-target";
import { openTransactionPool } from "@cambium/txpool";
import { createHostCheck } from "../../src/http/host-check.js";
import { DEFAULT_RPC_CONFIG, moduleConfig } from "../../src/index.js";
import { createDispatcher } from "../../src/requests/dispatcher.js";
import type { Dispatcher } from "../../src/requests/interface.js";
import { MessageMeter } from "../../src/ws/message-meter.js";
import { CLIENT_VERSION, config, type Json, SILENT } from "../support/service.js";

const CODES = new Set<number>(Object.values(RPC_CODES));
const MODULES = [...new Set(METHODS.map(({ module }) => module))];

/** A service with all methods over a chain of two blocks, and its content. */
interface Service {
  dispatcher: Dispatcher;
  filters: FilterRegistry;
  /** Failures that no method expects. */
  unexpected: unknown[];
  known: readonly string[];
}

let opened: Promise<Service> | undefined;

async function open(): Promise<Service> {
  const real = await RealChain.open();
  const logger = real.deploy(LOGGER);
  const first = await real.mine();
  const transaction = real.send({ to: logger });
  const second = await real.mine();
  const { chain } = real;
  const settings = config({
    modules: Object.fromEntries(MODULES.map((name) => [name, moduleConfig()])),
    timeout: 1_000,
  });
  const parts = { chain, config: settings, clientVersion: CLIENT_VERSION };
  const feed = new ChainFeed(chain, chain);
  const filters = new FilterRegistry({ ...parts, feed, logger: SILENT });
  const pool = openTransactionPool({ chain, evm: createChainEvm(local), now: () => NOW });
  const { folder, ...optional } = everyPart();
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const builder = new BlockBuilder(
    { chain, pool, now: () => NOW * 1000 },
    { rewardAddress: REWARDED, identity: "FUZZ", timeBudget: 60_000 },
  );
  const miner = new MinerServer({
    chain,
    builder: { rewardAddress: REWARDED, build: async () => builder.build() } as never,
  });
  await miner.start();
  const unexpected: unknown[] = [];
  const error = (data: unknown) => void unexpected.push(data);
  const dispatcher = createDispatcher(
    { ...parts, ...optional, miner, pool, feed, filters, syncStatus: () => false },
    METHODS,
    { ...SILENT, error },
  );
  const known = [logger, SENDER, first.hash, second.hash, transaction.hash].map(toData);
  return { dispatcher, filters, unexpected, known: [...known, toHex(transaction.encoded)] };
}

const connection = { subscribe: () => `0x${"ab".repeat(16)}`, unsubscribe: () => false };

/** Checks that the answer is well-formed, and no error is an internal one. */
async function answer(text: string): Promise<void> {
  const { dispatcher, filters, unexpected } = await (opened ??= open());
  const { status, body } = await dispatcher.handleText(text, { connection });
  assert.deepEqual(unexpected.splice(0), []);
  assert(filters.size <= DEFAULT_RPC_CONFIG.filters.maxFilters);
  assert.equal(body === undefined, status === 204);
  if (body === undefined) return;
  const parsed: Json = JSON.parse(body);
  for (const one of Array.isArray(parsed) ? parsed : [parsed]) checkResponse(one);
}

/** Checks that an error has only its code, message and data. */
function checkResponse(response: Json): void {
  assert.equal(response.jsonrpc, "2.0");
  assert.deepEqual(Object.keys(response), ["jsonrpc", "id", "error" in response ? "error" : "result"]);
  if (!("error" in response)) return;
  const { code, message, data, ...rest } = response.error;
  assert(CODES.has(code) && code !== RPC_CODES.INTERNAL, `${code} ${message}`);
  assert(typeof message === "string" && message.length > 0 && message.length < 2_000, message);
  assert.doesNotMatch(message, /\.ts:|\.js:|node_modules|undefined|\[object/);
  assert(data === undefined || /^0x[0-9a-f]*$/.test(data));
  assert.deepEqual(rest, {});
}

const CALL = {
  from: toData(SENDER),
  to: toData(REWARDED),
  gas: "0x5208",
  gasPrice: "0x1",
  value: "0x0",
  data: "0x",
  nonce: "0x2",
};
const FILTER = {
  fromBlock: "0x0",
  toBlock: "latest",
  address: toData(SENDER),
  topics: [null, [`0x${"00".repeat(32)}`]],
};
const BLOCK_OVERRIDES = { number: "0x9", time: "0x70000000", gasLimit: "0x989680", feeRecipient: toData(SENDER) };
const CELL = `0x${"00".repeat(32)}`;
/** Values of parameters, by their names in the table of methods. */
const VALUES: Readonly<Record<string, Json>> = {
  call: CALL,
  transaction: CALL,
  filter: FILTER,
  block: "latest",
  address: toData(SENDER),
  type: "logs",
  positions: ["0x0"],
  stateOverrides: { [toData(SENDER)]: { balance: "0x1", nonce: "0x1", code: "0x00", stateDiff: { [CELL]: CELL } } },
  options: {
    ...FILTER,
    tracer: "callTracer",
    tracerConfig: { onlyTopCall: true, withLog: true },
    disableStack: true,
    disableStorage: "true",
    diffMode: true,
    blockOverrides: BLOCK_OVERRIDES,
  },
  types: ["trace", "stateDiff"],
  newestBlock: "latest",
  rewardPercentiles: [0, 50.5, 100],
  simulation: {
    blockStateCalls: [{ blockOverrides: BLOCK_OVERRIDES, stateOverrides: {}, calls: [CALL, CALL] }, { calls: [CALL] }],
    traceTransfers: true,
    validation: false,
    returnFullTransactions: true,
  },
  typedData: {
    types: { EIP712Domain: [{ name: "name", type: "string" }], Note: [{ name: "list", type: "uint8[2][]" }] },
    primaryType: "Note",
    domain: { name: "n" },
    message: { list: [[1, "0x2"]] },
  },
};

/** A request of each method; `hash` is of a block or a transaction. */
function requests(hash: string): Json[] {
  return METHODS.map(({ name, params }) => ({
    jsonrpc: "2.0",
    id: 1,
    method: name,
    params: params.map((param) => ({ ...VALUES, hash, transactionHash: hash })[param.name] ?? "0x1"),
  }));
}

/** Methods that cause a delay, or change the state for later inputs. */
const EXCLUDED = /^(evm_|miner_|personal_|debug_wireProtocolQueueSize|fuzz)/;
const WORDS = [
  ...METHODS.map(({ name }) => name),
  ...[
    "fromBlock",
    "toBlock",
    "topics",
    "blockHash",
    "requireCanonical",
    "stateDiff",
    "stateOverrides",
    "balance",
    "code",
  ],
  ...["prestateTracer", "4byteTracer", "diffMode", "includeEmpty", "blockOverrides", "difficulty", "baseFeePerGas"],
  ...["blockStateCalls", "calls", "traceTransfers", "validation", "maxFeePerGas", "trace", "stateDiff", "vmTrace"],
  ...["primaryType", "EIP712Domain", "bytes32", "int256", "safe", "finalized"],
  ...["tracer", "callTracer", "tracerConfig", "latest", "pending", "earliest", "newHeads", "logs", "syncing"],
];

export const targets: Readonly<Record<string, FuzzTarget>> = {
  /** The text of a request or a batch, as HTTP and WebSocket receive it. */
  request: {
    share: 10,
    seeds: async () => {
      const { known } = await (opened ??= open());
      const all = known.slice(2, 5).flatMap(requests);
      const distinct = new Set(all.filter(({ method }) => !EXCLUDED.test(method)).map((one) => JSON.stringify(one)));
      return [...texts(...distinct), ...jsonTexts(all.slice(0, 3))];
    },
    words: WORDS,
    run: (input) => answer(textOf(input)),
  },
  "send-raw-transaction": {
    seeds: async () => {
      const { known } = await (opened ??= open());
      return [Buffer.from(known.at(-1)!, "hex")];
    },
    run: (input) =>
      answer(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [toData(input)] })),
  },
  /** The scan before a text is parsed must find the same as `JSON.parse`, or nothing. */
  "json-shape": {
    seeds: () => texts('{"a":[1,"\\"]"]}', '"\\\\"', "[[[[[]]]]]"),
    run(input) {
      const text = textOf(input).repeat(input.length < 200 ? 100 : 1);
      const refusal = shapeRefusal(text, 100);
      let parsed: unknown;
      try {
        parsed = JSON.parse(text);
      } catch {
        return;
      }
      assert.equal(refusal === undefined, depthOf(parsed) <= 100);
    },
  },
  /** Frames of any content in two parts must leave as much unfinished as in one part. */
  "websocket-frames": {
    seeds: () => [Uint8Array.of(0x81, 0x83, 1, 2, 3, 4, 9, 9, 9, 0x89, 0), Uint8Array.of(1, 126, 0, 2, 7, 7, 0x80, 0)],
    run(input) {
      const [whole, parts] = [new MessageMeter(), new MessageMeter()];
      const bytes = Buffer.from(input);
      whole.add(bytes);
      for (const byte of bytes) parts.add(Buffer.of(byte));
      assert.equal(parts.unfinished, whole.unfinished);
      assert(whole.unfinished >= 0 && whole.unfinished <= input.length && whole.controlFrames <= input.length / 2);
    },
  },
  "host-header": {
    seeds: () => texts("localhost:4444", "[::1]:80", "example.org", "127.0.0.1"),
    run(input) {
      const header = textOf(input);
      const isAllowed = createHostCheck({ host: "localhost", hosts: ["node.example"] })(header);
      if (isAllowed && header !== "")
        assert.match(header, /^(localhost|node\.example|[\d.]+|\[?[0-9a-f:.%\w]*\]?)(:\d*)?$/i);
    },
  },
};

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
