import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { createChainEvm } from "@cambium/chain";
import { local } from "@cambium/config";
import { toData } from "@cambium/primitives";
import { FUZZ_RUNS } from "@cambium/test-utils/depth";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { openTransactionPool } from "@cambium/txpool";
import { ChainFeed } from "../src/chain-feed.js";
import { RPC_CODES } from "../src/errors.js";
import { FilterRegistry } from "../src/filters/filter-registry.js";
import { DEFAULT_RPC_CONFIG, METHODS, moduleConfig } from "../src/index.js";
import { createDispatcher, type Dispatcher } from "../src/requests/dispatcher.js";
import { everyPart } from "./support/every-part.js";
import { FakeChain } from "./support/fake-chain.js";
import { LOGGER, NOW, RealChain, SENDER } from "./support/real-chain.js";
import { CLIENT_VERSION, config, type Json, SILENT, serverOver } from "./support/service.js";
import { WsClient } from "./support/ws-client.js";

/** Time limit of each request. */

const CODES = new Set<number>(Object.values(RPC_CODES));

/** A seeded random generator. */
class Chance {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = random(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  digits(count: number): string {
    return Array.from({ length: count }, () => this.below(16).toString(16)).join("");
  }
}

/** Generates malformed requests of many kinds, and some valid ones. */
class Requests {
  constructor(
    private readonly chance: Chance,
    /** Values that exist on the chain. */
    private readonly known: readonly string[],
  ) {}

  text(): string {
    const { chance } = this;
    switch (chance.below(12)) {
      case 0:
        return this.broken(JSON.stringify(this.request()));
      case 1:
        return JSON.stringify(
          Array.from({ length: chance.below(5) }, () => (chance.below(4) ? this.request() : this.value(1))),
        );
      case 2:
        return JSON.stringify(this.value(3));
      default:
        return JSON.stringify(this.request());
    }
  }

  private broken(text: string): string {
    const { chance } = this;
    const at = chance.below(text.length);
    switch (chance.below(4)) {
      case 0:
        return text.slice(0, at);
      case 1:
        return text.slice(0, at) + String.fromCharCode(chance.below(0x300)) + text.slice(at + 1);
      case 2:
        return text + text.slice(at);
      default:
        return "[".repeat(chance.below(3000)) + text;
    }
  }

  private request(): Json {
    const { chance } = this;
    const { name, params } = chance.of(METHODS);
    const count = chance.below(3) ? params.length : chance.below(params.length + 2);
    const request: Json = { jsonrpc: "2.0", id: chance.below(1000), method: name, params: this.values(count) };
    switch (chance.below(30)) {
      case 0:
        request.method = this.value(1);
        break;
      case 1:
        request.id = this.value(1);
        break;
      case 2:
        request.params = this.value(2);
        break;
      case 3:
        request.method = `${name}${chance.of(["_", "\u0000", " ", "x"])}`;
        break;
      case 4:
        delete request[chance.of(Object.keys(request))];
        break;
      case 5:
        request[chance.of(["__proto__", "toJSON", "constructor", "result"])] = this.value(1);
    }
    return request;
  }

  private values(count: number): Json[] {
    return Array.from({ length: count }, () => this.value(2));
  }

  private value(depth: number): Json {
    const { chance } = this;
    switch (chance.below(depth > 0 ? 16 : 11)) {
      case 0:
        return chance.of([null, true, false, "", "0x", "latest", "earliest", "pending", "safe", "true"]);
      case 1:
        return chance.of([0, -1, 1.5, 2 ** 53, 1e308, -0, 33]);
      case 2:
        return `0x${chance.digits(chance.of([1, 2, 8, 16, 17, 39, 40, 41, 63, 64, 65, 66, 200]))}`;
      case 3:
        return chance.digits(chance.of([1, 40, 64]));
      case 4:
        return chance.of([
          "newHeads",
          "logs",
          "syncing",
          "callTracer",
          "é",
          "\ud800",
          "x".repeat(300),
          "0xzz",
          "-0x1",
          "1e3",
        ]);
      case 5:
        return `0x${"0".repeat(chance.below(70))}1`;
      case 6:
        return `0x${"ff".repeat(chance.below(3000))}`;
      case 7:
      case 8:
      case 9:
      case 10:
        return chance.of(this.known);
      case 11:
      case 12:
        return this.values(chance.below(4));
      default:
        return Object.fromEntries(
          Array.from({ length: chance.below(5) }, () => [this.member(), this.value(depth - 1)]),
        );
    }
  }

  private member(): string {
    const filter = ["fromBlock", "toBlock", "address", "topics", "blockHash", "blockNumber", "requireCanonical"];
    const call = ["from", "to", "gas", "gasLimit", "gasPrice", "value", "data", "input", "nonce", "chainId"];
    const others = ["balance", "code", "state", "stateDiff", "tracer", "tracerConfig", "after", "count", "__proto__"];
    return this.chance.of([...filter, ...call, ...others, ...this.known]);
  }
}

describe(`malformed requests (${FUZZ_RUNS})`, () => {
  it("get well-formed responses and leak nothing", async () => {
    const unexpected: object[] = [];
    const { dispatcher, filters, known, folder } = await service((data) => unexpected.push(data));
    const requests = new Requests(new Chance(SEED), known);
    const connection = { subscribe: () => `0x${"ab".repeat(16)}`, unsubscribe: () => false };
    let answers = 0;
    let errors = 0;
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const text = requests.text();
      const { status, body } = await dispatcher.handleText(text, { connection });
      for (const answer of checked(text, status, body)) {
        answers++;
        if (answer.error !== undefined) errors++;
      }
      assert.deepEqual(unexpected, [], text.slice(0, 2000));
    }
    assert(answers > FUZZ_RUNS / 2 && errors > answers / 2, `${answers} answers, ${errors} errors`);
    assert(filters.size <= DEFAULT_RPC_CONFIG.filters.maxFilters);
    filters.close();
    rmSync(folder, { recursive: true });
  });

  it("end neither a WebSocket connection nor the service", async () => {
    const full = config({
      http: { ...DEFAULT_RPC_CONFIG.http, port: 0 },
      ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0, maxSubscriptions: 10 },
    });
    const server = serverOver(new FakeChain(), full);
    const client = await WsClient.open((await server.listen()).ws!.port);
    const requests = new Requests(new Chance(SEED + 1), [`0x${"11".repeat(20)}`]);
    for (let run = 0; run < FUZZ_RUNS / 20; run++) client.socket.send(requests.text());
    client.socket.send('{"id":"last","method":"eth_chainId"}');
    await client.until(() => client.others.some(({ id }) => id === "last"));
    await server.close();
  });
});

/** A service over a chain of a few blocks with all methods; `log` receives unexpected failures. */
async function service(log: (data: object) => void) {
  const real = await RealChain.open();
  const logger = real.deploy(LOGGER);
  const first = await real.mine();
  real.send({ to: logger });
  const second = await real.mine();
  const names = [...new Set(METHODS.map(({ module }) => module))];
  const modules = Object.fromEntries(names.map((name) => [name, moduleConfig()]));
  const parts = { chain: real.chain, config: config({ modules, timeout: 1_000 }), clientVersion: CLIENT_VERSION };
  const filters = new FilterRegistry({ ...parts, feed: new ChainFeed(real.chain, real.chain), logger: SILENT });
  const pool = openTransactionPool({ chain: real.chain, evm: createChainEvm(local), now: () => NOW });
  const { folder, ...optional } = everyPart();
  const dispatcher: Dispatcher = createDispatcher(
    { ...parts, ...optional, pool, filters, syncStatus: () => false },
    METHODS,
    { ...SILENT, error: log },
  );
  const known = [logger, SENDER, first.hash, second.hash, second.transactions[0]!.hash].map(toData);
  return { dispatcher, filters, folder, known: [...known, "0x0", "0x1", "0x2", "0x3", `0x${"00".repeat(32)}`] };
}

/** The responses in a body, after checking the form of 00 and the id of each. */
function checked(text: string, status: number, body: string | undefined): Json[] {
  if (body === undefined) {
    assert.equal(status, 204, text);
    return [];
  }
  const parsed = JSON.parse(body);
  for (const answer of Array.isArray(parsed) ? parsed : [parsed]) {
    assert.equal(answer.jsonrpc, "2.0");
    assert.deepEqual(Object.keys(answer), ["jsonrpc", "id", "error" in answer ? "error" : "result"], text);
    if (!("error" in answer)) continue;
    const { code, message, data, ...rest } = answer.error;
    assert(CODES.has(code) && code !== RPC_CODES.INTERNAL, `${text.slice(0, 1000)} → ${body}`);
    assert(typeof message === "string" && message.length > 0 && message.length < 2_000, body.slice(0, 1000));
    assert.doesNotMatch(message, /\.ts:|\.js:|node_modules|undefined|\[object/);
    assert(data === undefined || /^0x[0-9a-f]*$/.test(data));
    assert.deepEqual(rest, {});
  }
  return Array.isArray(parsed) ? parsed : [parsed];
}
