import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type Client, DEFAULT_TRACE_OPTIONS, Deadline, JsonText, presenceBy } from "@cambium/api";
import { local } from "@cambium/config";
import { openLevelDatabase } from "@cambium/database";
import { toData } from "@cambium/primitives";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { COUNTER, LOOP, RealChain } from "@cambium/test-utils/api/real-chain";
import type { Transaction } from "@cambium/types";
import { createRpcServer, moduleConfig, type RpcConfig, type RpcServer, ThreadedExecutor } from "../src/index.js";
import { CLIENT_VERSION, config, type Json, SILENT } from "./support/service.js";

const HEAVY_GAS = 2_000_000n;
const LIGHT_REQUESTS = 20;
/** Time limit in milliseconds that no test reaches, unless the machine is very busy. */
const TIME_LIMIT = 120_000;

/** A call to code set by a state override. */
const ENDLESS = { to: `0x${"44".repeat(20)}` };
const ENDLESS_CODE = { [ENDLESS.to]: { code: `0x${LOOP}` } };

/** Thread ids count the threads that this process has started. */
async function nextThreadId(): Promise<number> {
  const worker = new Worker("", { eval: true });
  const { threadId } = worker;
  await worker.terminate();
  return threadId;
}

describe("heavy work in threads", () => {
  let folder: string;
  let real: RealChain;
  let server: RpcServer;
  let executor: ThreadedExecutor;
  let url: string;
  let heavy: Transaction;
  let light: Transaction;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-heavy-"));
    real = await RealChain.open(await openLevelDatabase(folder, { create: true }));
    const loop = real.deploy(LOOP);
    const counter = real.deploy(COUNTER);
    await real.mine();
    heavy = real.send({ to: loop, gasLimit: HEAVY_GAS });
    await real.mine();
    light = real.send({ to: counter });
    await real.mine();
    executor = executorWith({});
    server = createRpcServer({
      chain: real.chain,
      pool: new FakePool().api(),
      config: fullConfig({}),
      clientVersion: CLIENT_VERSION,
      logger: SILENT,
      heavy: executor,
    });
    const { host, port } = await server.listen();
    url = `http://${host}:${port}`;
  });

  after(async () => {
    await server?.close();
    await executor?.close();
    await real?.chain.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function fullConfig(changes: Partial<RpcConfig>): RpcConfig {
    const base = config({ timeout: TIME_LIMIT, maxResponseSize: 0, callGasCap: 0, ...changes });
    const modules = { ...base.modules, debug: moduleConfig(), trace: moduleConfig() };
    return { ...base, modules, http: { ...base.http, port: 0 } };
  }

  function executorWith(changes: Partial<RpcConfig>): ThreadedExecutor {
    return new ThreadedExecutor({ network: local, location: folder, config: fullConfig(changes) });
  }

  async function ask(method: string, params: unknown[], signal?: AbortSignal): Promise<Json> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal,
    });
    return response.json();
  }

  const endlessCall = (own: ThreadedExecutor, deadline: Deadline) => {
    const call = { from: new Uint8Array(20), to: new Uint8Array(20).fill(0x44), data: new Uint8Array(0) };
    const code = Uint8Array.of(0x5b, 0x60, 0x00, 0x56);
    const override = { address: call.to, balance: undefined, nonce: undefined, code, cells: [], clearsStorage: false };
    const request = { call: { ...call, gas: undefined, gasPrice: 0n, value: 0n }, overrides: [override], gasCap: 0 };
    return own.run("call", { ...request, blockHash: real.chain.best().hash }, deadline);
  };

  it("returns the same results as the main thread", async () => {
    const hash = toData(light.hash);
    const call = { from: toData(light.sender!), to: toData(light.to) };
    const requests: [string, unknown[]][] = [
      ["debug_traceTransaction", [hash]],
      ["debug_traceTransaction", [hash, { tracer: "prestateTracer", tracerConfig: { diffMode: true } }]],
      ["debug_traceCall", [call, "latest", { tracer: "callTracer" }]],
      ["trace_call", [call, ["trace", "stateDiff"]]],
      ["trace_replayTransaction", [hash, ["trace", "stateDiff"]]],
      ["eth_createAccessList", [call]],
      ["eth_simulateV1", [{ blockStateCalls: [{ calls: [call, call] }, {}], traceTransfers: true }]],
      ["eth_feeHistory", ["0x3", "latest", [50]]],
    ];
    const alone = createRpcServer({
      chain: real.chain,
      pool: new FakePool().api(),
      config: fullConfig({}),
      clientVersion: CLIENT_VERSION,
      logger: SILENT,
    });
    for (const [method, params] of requests) {
      const { result } = await ask(method, params);
      const answer: Json = await alone.handle({ jsonrpc: "2.0", id: 1, method, params });
      assert.notEqual(result, undefined, method);
      assert.deepEqual(result, answer.result, method);
    }
    assert.equal((await ask("eth_estimateGas", [{ to: `0x${"55".repeat(20)}` }])).result, "0x5208");
    assert.equal((await ask("eth_call", [ENDLESS, "latest", ENDLESS_CODE, 1])).error.code, -32602);
    await alone.close();
  });

  it("runs with a lower priority than the other threads", async function () {
    if (process.platform !== "linux") this.skip();
    await ask("eth_call", [{ to: `0x${"55".repeat(20)}` }]);
    // The 19th field; the name in parentheses may contain spaces.
    const stats = readdirSync("/proc/self/task").map((id) => readFileSync(`/proc/self/task/${id}/stat`, "utf8"));
    const niceness = stats.map((stat) => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]));
    const own = getPriority();
    assert(own >= 15 || (niceness.includes(15) && niceness.includes(own)), `${niceness}`);
  });

  it("delays neither light requests nor calls during a heavy trace", async () => {
    await ask("eth_call", [{ to: `0x${"55".repeat(20)}` }]);
    let traced = false;
    const trace = ask("debug_traceTransaction", [toData(heavy.hash)]).then((answer) => {
      traced = true;
      return answer;
    });
    let answered = 0;
    for (let i = 0; i < LIGHT_REQUESTS; i++) {
      const [number, call] = await Promise.all([
        ask("eth_blockNumber", []),
        ask("eth_call", [{ to: `0x${"55".repeat(20)}` }]),
      ]);
      assert.deepEqual([number.result, call.result], ["0x3", "0x"]);
      if (!traced) answered++;
    }
    assert.equal(answered, LIGHT_REQUESTS, "light requests waited for the trace");
    const { result } = await trace;
    assert.ok(result.structLogs.length > 200_000);
  });

  it("ends a task at its deadline and continues with the next", async () => {
    const own = executorWith({});
    await assert.rejects(endlessCall(own, Deadline.after(300)), { code: "LIMIT_EXCEEDED" });
    const request = { blockHash: real.chain.best().hash, index: 0 };
    const traces = await own.run("traces", request, Deadline.after(TIME_LIMIT));
    assert.ok(traces instanceof JsonText);
    const proof = { blockHash: request.blockHash, address: new Uint8Array(20), keys: [] };
    assert.ok((await own.run("proof", proof, Deadline.after(TIME_LIMIT))) instanceof JsonText);
    await own.close();
  });

  it("ends a tracer in JavaScript that does not respond, and continues in another thread", async () => {
    const trace = { ...config().trace, javascript: true };
    const own = executorWith({ trace, heavy: { ...config().heavy, traceThreads: 1 } });
    const run = (value: string, deadline: Deadline) => {
      const javascript = { source: `{ fault() {}, result() { return ${value}; } }`, config: "{}" };
      const options = { ...DEFAULT_TRACE_OPTIONS, tracer: "javascript" as const, javascript };
      const block = { hash: real.chain.best().hash };
      return own.run("debugTransaction", { block, index: 0, options }, deadline);
    };
    const within = () => Deadline.after(TIME_LIMIT);
    assert.equal(String(((await run("1 + 1", within())) as JsonText).text), "2");
    // The engine cannot be interrupted in its native functions.
    const native = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)";
    await assert.rejects(run(native, Deadline.after(1_000)), { code: "LIMIT_EXCEEDED" });
    await assert.rejects(run("(() => { for (;;); })()", Deadline.after(1_000)), { code: "LIMIT_EXCEEDED" });
    await assert.rejects(run("(() => { for (;;); })()", within()), { message: /longer than 5000 ms/ });
    assert.equal(String(((await run("2 + 2", within())) as JsonText).text), "4");
    await own.close();
  });

  it("runs short calls while long ones are running", async () => {
    const own = executorWith({});
    let ended = 0;
    const long = [1, 2].map(async () => {
      await assert.rejects(endlessCall(own, Deadline.after(TIME_LIMIT)), { code: "LIMIT_EXCEEDED" });
      ended++;
    });
    const proof = { blockHash: real.chain.best().hash, address: new Uint8Array(20), keys: [] };
    await own.run("proof", proof, Deadline.after(TIME_LIMIT));
    assert.equal(ended, 0);
    await own.close();
    await Promise.all(long);
  });

  it("does not start a task whose deadline has passed", async () => {
    const own = executorWith({ heavy: { ...config().heavy, callThreads: 1 } });
    const first = endlessCall(own, Deadline.after(600));
    const second = endlessCall(own, Deadline.after(200));
    await assert.rejects(second, { code: "LIMIT_EXCEEDED" });
    await assert.rejects(first, { code: "LIMIT_EXCEEDED" });
    await own.close();
  });

  it("rejects tasks beyond the queue limit", async () => {
    const { heavy: limits } = config();
    const own = executorWith({ heavy: { ...limits, callThreads: 1, maxWaiting: 2 } });
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => endlessCall(own, Deadline.after(2000))));
    assert.ok(results.every(({ status }) => status === "rejected"));
    const texts = results.map((result) => (result as PromiseRejectedResult).reason.details.text);
    assert.equal(texts.filter((text) => /too many/.test(text)).length, 1, texts.join("; "));
    await own.close();
  });

  it("ends a task whose client disconnects", async () => {
    const gone = new AbortController();
    const asking = ask("eth_call", [ENDLESS, "latest", ENDLESS_CODE], gone.signal);
    setTimeout(() => gone.abort(), 200);
    await assert.rejects(asking, { name: "AbortError" });
    // The only thread for calls is free again long before the time limit.
    const answer = await Promise.race([
      ask("eth_call", [{ to: `0x${"55".repeat(20)}` }]),
      new Promise((resolve) => setTimeout(resolve, TIME_LIMIT / 2, undefined).unref()),
    ]);
    assert.equal((answer as Json)?.result, "0x");
  });

  it("reports an unexpected error as internal error without ending the thread", async () => {
    const own = executorWith({});
    const unknown = { blockHash: new Uint8Array(32), index: 0 };
    const call = { from: new Uint8Array(20), to: new Uint8Array(20), data: new Uint8Array(0), gas: undefined };
    const request = { call: { ...call, gasPrice: 0n, value: 0n }, overrides: [], gasCap: 0 };
    const calling = (blockHash: Uint8Array) => own.run("call", { ...request, blockHash }, Deadline.after(TIME_LIMIT));
    await assert.rejects(calling(unknown.blockHash), /UNKNOWN_BLOCK/);
    assert.equal(((await calling(real.chain.best().hash)) as JsonText).text, '"0x"');
    await assert.rejects(own.run("traces", unknown, Deadline.after(TIME_LIMIT)), { code: "STATE_NOT_FOUND" });
    await own.close();
    await assert.rejects(own.run("traces", unknown, Deadline.after(TIME_LIMIT)), { code: "LIMIT_EXCEEDED" });
  });

  const client = (share: string): Client => ({ identity: share, share });

  /** A short job. */
  const proof = (own: ThreadedExecutor, share: string) => {
    const request = { blockHash: real.chain.best().hash, address: new Uint8Array(20), keys: [] };
    return own.run("proof", request, Deadline.after(TIME_LIMIT, undefined, client(share)));
  };

  it("serves a client while another has queued endless calls", async () => {
    const own = executorWith({ heavy: { ...config().heavy, callThreads: 2, maxWaiting: 20 } });
    const greedy = Array.from({ length: 60 }, () =>
      endlessCall(own, Deadline.after(TIME_LIMIT, undefined, client("greedy"))),
    );
    const ended = Promise.allSettled(greedy);
    for (let i = 0; i < 5; i++) {
      assert.equal((await Promise.all([proof(own, "honest"), proof(own, "other")])).length, 2);
    }
    await own.close();
    const reasons = (await ended).map((result) => (result as PromiseRejectedResult).reason.details.text);
    assert.ok(reasons.every((text) => text === "too many queued requests"));
  });

  it("serves a client while each of many others has an endless call", async () => {
    const own = executorWith({});
    await proof(own, "honest");
    const endless = Array.from({ length: 30 }, (_, i) =>
      endlessCall(own, Deadline.after(TIME_LIMIT, undefined, client(`${i}`))),
    );
    const ended = Promise.allSettled(endless);
    for (let i = 0; i < 5; i++) assert.ok((await proof(own, "honest")) instanceof JsonText);
    await own.close();
    await ended;
  });

  it("keeps its threads when tasks are cancelled", async () => {
    const own = executorWith({});
    await proof(own, "honest");
    const before = await nextThreadId();
    const gone = Array.from({ length: 10 }, () => new AbortController());
    const cancelled = gone.map(({ signal }) => endlessCall(own, Deadline.after(TIME_LIMIT, presenceBy(signal))));
    const ended = Promise.allSettled(cancelled);
    for (const controller of gone) {
      controller.abort();
      await proof(own, "honest");
    }
    await ended;
    const started = (await nextThreadId()) - before - 1;
    assert.ok(started <= config().heavy.callThreads, `${started} threads started`);
    await own.close();
  });

  it("fails only the task that runs out of memory", async () => {
    const { heavy: limits } = config();
    const own = executorWith({ heavy: { ...limits, traceThreads: 2, maxHeap: 32 } });
    const blockHash = real.chain.hashByNumber(2)!;
    const options = { ...DEFAULT_TRACE_OPTIONS, enableMemory: true };
    const large = own.run(
      "debugTransaction",
      { block: { hash: blockHash }, index: 0, options },
      Deadline.after(TIME_LIMIT),
    );
    const small = () => own.run("traces", { blockHash, index: 0 }, Deadline.after(TIME_LIMIT));
    const [failed, answer] = await Promise.allSettled([large, small()]);
    assert.match((failed as PromiseRejectedResult).reason.details.text, /exceeded its memory limit/);
    assert.equal(answer.status, "fulfilled");
    assert.ok((await small()) instanceof JsonText);
    await own.close();
  });

  it("survives many interrupted tasks while the chain grows", async () => {
    const own = executorWith({});
    for (let i = 0; i < 5; i++) {
      await assert.rejects(endlessCall(own, Deadline.after(60)), { code: "LIMIT_EXCEEDED" });
      await real.mine();
    }
    assert.equal(real.chain.best().header.number, 8);
    await own.close();
  });
});
