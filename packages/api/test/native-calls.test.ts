import assert from "node:assert/strict";
import { EMPTY_BYTES, fromHex, toData } from "@cambium/primitives";
import type { ApiConfig } from "../src/config.js";
import { DEFAULT_API_CONFIG } from "../src/config.js";
import { AnswerBudget } from "../src/tracing/tracers/answer-budget.js";
import { FrameTreeTracer } from "../src/tracing/tracers/frame-tree.js";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const IDENTITY = `0x${"04".padStart(40, "0")}`;
const BLAKE2F = `0x${"09".padStart(40, "0")}`;
const BRIDGE = "0x0000000000000000000000000000000001000006";

const call = (to: string, value: string, inputSize: string, gas = "5a") =>
  `5f5f60${inputSize}5f60${value}73${to.slice(2)}${gas}f150`;
/**
 * Calls a contract that copies its input, one that fails, one that keeps the value, and the first without the gas that
 * it needs.
 */
const CODE = `${call(IDENTITY, "00", "02")}${call(BLAKE2F, "00", "04")}${call(BRIDGE, "07", "00")}${call(IDENTITY, "00", "02", "6001")}`;

const ACCOUNTS = (calls: Json) => calls.map(({ type, to }: Json) => [type, to]);
const OF_JAVASCRIPT = `{
  list: [],
  enter(frame) { this.list.push(frame.getType() + " " + toHex(frame.getTo())); },
  exit(result) { this.list.push(result.getError() || toHex(result.getOutput())); },
  fault() {},
  result() { return this.list; },
}`;

describe("calls of native contracts inside of code", () => {
  const services = new Map<ApiConfig["compatibility"], RealApi>();
  let to: string;
  let hash: string;

  before(async () => {
    for (const compatibility of ["specification", "deployed"] as const) {
      const trace = { ...DEFAULT_API_CONFIG.trace, javascript: true };
      const service = await openOver({ compatibility, trace });
      const { real } = service;
      const contract = real.deploy(CODE, 10n);
      await real.mine();
      hash = toData(real.send({ to: contract }).hash);
      await real.mine();
      to = toData(contract);
      services.set(compatibility, service);
    }
  });

  const ask = (method: string, ...params: unknown[]) => services.get("specification")!.call(method, ...params);
  const trace = (tracer: string, tracerConfig?: object) =>
    ask("debug_traceTransaction", hash, { tracer, tracerConfig });

  it("are frames of callTracer and erc7562Tracer, with their outcome", async () => {
    for (const tracer of ["callTracer", "erc7562Tracer"]) {
      const { calls, error } = await trace(tracer);
      assert.equal(error, undefined);
      assert.deepEqual(
        calls.map(({ type, from, to: called, value, input, output, error }: Json) => {
          assert.equal(from, to);
          return [type, called, value, input, output, error];
        }),
        [
          ["CALL", IDENTITY, "0x0", "0x0000", "0x0000", undefined],
          ["CALL", BLAKE2F, "0x0", "0x00000000", "0x", "precompiled contract failed"],
          ["CALL", BRIDGE, "0x7", "0x", "0x", undefined],
          ["CALL", IDENTITY, "0x0", "0x0000", "0x", "out of gas"],
        ],
      );
    }
  });

  it("are entered and left by tracers in JavaScript", async () => {
    const entered = (address: string) => `CALL ${address}`;
    assert.deepEqual(await trace(OF_JAVASCRIPT), [
      ...[entered(IDENTITY), "0x0000", entered(BLAKE2F), "precompiled contract failed"],
      ...[entered(BRIDGE), "0x", entered(IDENTITY), "out of gas"],
    ]);
  });

  it("are in flatCallTracer if it includes precompiled contracts", async () => {
    const shown = async (tracerConfig?: object) =>
      (await trace("flatCallTracer", tracerConfig)).map(({ action, traceAddress }: Json) => [action.to, traceAddress]);
    assert.deepEqual(await shown(), [[to, []]]);
    const all = [IDENTITY, BLAKE2F, BRIDGE, IDENTITY].map((address, i) => [address, [i]]);
    assert.deepEqual(await shown({ includePrecompiles: true }), [[to, []], ...all]);
  });

  it("are traces of the trace module if they move value", async () => {
    const accounts = (traces: Json) => traces.map(({ action }: Json) => action.to);
    assert.deepEqual(accounts(await ask("trace_transaction", hash)), [to, BRIDGE]);
    assert.deepEqual(accounts(await ask("trace_filter", { fromBlock: "0x1", toAddress: [BRIDGE] })), [BRIDGE]);
    const { trace: replayed } = await ask("trace_replayTransaction", hash, ["trace"]);
    assert.deepEqual(accounts(replayed), [to, BRIDGE]);
    assert.deepEqual(replayed[1].action.value, "0x7");
  });

  it("are shown by Otterscan, and found by their accounts", async () => {
    assert.deepEqual(ACCOUNTS(await ask("ots_traceTransaction", hash)).slice(3, 4), [["CALL", BRIDGE]]);
    const [transfer] = await ask("ots_getInternalOperations", hash);
    assert.deepEqual(transfer, { type: 0, from: to, to: BRIDGE, value: "0x7" });
    const { txs } = await ask("ots_searchTransactionsBefore", BRIDGE, 0, 25);
    assert.ok(txs.some((transaction: Json) => transaction.hash === hash));
  });

  it("are hidden in the mode `deployed`, as by the deployed client", async () => {
    const { call: deployed } = services.get("deployed")!;
    assert.equal((await deployed("debug_traceTransaction", hash, { tracer: "callTracer" })).calls, undefined);
    assert.equal((await deployed("trace_transaction", hash)).length, 1);
    assert.equal((await deployed("trace_replayTransaction", hash, ["trace"])).trace.length, 1);
  });

  it("keep their logs if they fail, like the chain", () => {
    const tracer = new FrameTreeTracer(new AnswerBudget(0), "all");
    const frame = { kind: "call", depth: 0, value: 0n, input: EMPTY_BYTES, gas: 9, code: EMPTY_BYTES } as const;
    const [account, native] = [fromHex(to.slice(2)), fromHex(BRIDGE.slice(2))];
    tracer.enter({ ...frame, from: account, to: account, codeAddress: account, hasCode: true });
    tracer.enterNative({ ...frame, from: account, to: native, codeAddress: native, hasCode: false });
    tracer.log({ address: native, topics: [], data: EMPTY_BYTES });
    const failure = { kind: "contract-error", message: "no" } as never;
    tracer.exitNative({ output: EMPTY_BYTES, gasUsed: 1, reverted: false, failure });
    tracer.exit({ output: EMPTY_BYTES, gasUsed: 2, reverted: false });
    const message = {
      from: account,
      to: account,
      isCreation: false,
      value: 0n,
      input: EMPTY_BYTES,
      gas: 9,
      gasLimit: 9,
    };
    const tree = tracer.messageTree(message, { status: 1, gasUsed: 2, logs: [], reverted: false } as never, 5);
    const [inner] = tree.actions;
    assert.ok(inner?.type === "call" && inner.node.failure !== undefined);
    assert.deepEqual(
      [tree.logs, tree.ownLogs, inner.node.ownLogs].map((logs) => logs.map(({ index }) => index)),
      [[5], [], [5]],
    );
  });
});
