import assert from "node:assert/strict";
import { fromHex, toData } from "@cambium/primitives";
import { REVERTER, SENDER } from "@cambium/test-utils/api/real-chain";
import type { Block } from "@cambium/types";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const from = toData(SENDER);
/** Adds one to the first cell and returns it. */
const TALLY = "6000546001018060005560005260206000f3";
/** Returns the block's number and time. */
const CLOCK = "436000524260205260406000f3";
const word = (value: number | bigint) => value.toString(16).padStart(64, "0");

describe("calls that build on each other", () => {
  let service: RealApi;
  let block: Block;
  const at: Record<string, string> = {};
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);
  const values = (results: Json[][]) => results.map((bundle) => bundle.map(({ value }) => Number(value)));
  const refused = (method: string, params: unknown[], code: number, message: RegExp) =>
    assert.rejects(call(method, ...params), (error: Json) => {
      assert.equal(error.code, code, JSON.stringify(error));
      assert.match(error.message, message);
      return true;
    });

  before(async () => {
    service = await openOver();
    const { real } = service;
    for (const [name, code] of Object.entries({ TALLY, CLOCK, REVERTER })) at[name] = toData(real.deploy(code));
    await real.mine();
    for (let i = 0; i < 3; i++) real.send({ to: fromHex(at.TALLY!.slice(2)) });
    block = await real.mine();
  });

  it("eth_callMany carries the state from call to call and stores nothing", async () => {
    const tally = { from, to: at.TALLY };
    const bundles = [{ transactions: [tally, tally] }, { transactions: [] }, { transactions: [tally] }];
    assert.deepEqual(values(await call("eth_callMany", bundles)), [[4, 5], [], [6]]);
    assert.deepEqual(values(await call("eth_callMany", bundles, { blockNumber: "0x1" })), [[1, 2], [], [3]]);
    const overrides = { [at.TALLY!]: { state: { [`0x${word(0)}`]: `0x${word(40)}` } } };
    assert.deepEqual(values(await call("eth_callMany", bundles, {}, overrides)), [[41, 42], [], [43]]);
    assert.equal(Number(await call("eth_call", tally)), 4);
  });

  it("eth_callMany starts before a transaction of a block", async () => {
    const bundles = [{ transactions: [{ from, to: at.TALLY }] }];
    const starting = (transactionIndex: unknown) =>
      call("eth_callMany", bundles, { blockNumber: "0x2", transactionIndex }).then(values);
    const indexes = [0, "0x1", 2, 3, -1, null];
    assert.deepEqual(await Promise.all(indexes.map(starting)), [[[1]], [[2]], [[3]], [[4]], [[4]], [[4]]]);
    const { length } = block.transactions;
    assert.deepEqual(await starting(length), [[4]]);
    await refused(
      "eth_callMany",
      [bundles, { blockNumber: "0x2", transactionIndex: length + 1 }],
      -32602,
      /index 5 of 4/,
    );
    await refused("eth_callMany", [bundles, { blockNumber: "0x2", transactionIndex: -2 }], -32602, /hex/);
  });

  it("eth_callMany shows each bundle a block of its own", async () => {
    const clock = { transactions: [{ from, to: at.CLOCK }] };
    const seen = async (...bundles: object[]) =>
      (await call("eth_callMany", bundles)).map(([{ value }]: Json[]) =>
        [value.slice(2, 66), value.slice(66)].map((part) => Number(`0x${part}`)),
      );
    const { number, header } = block;
    const time = Number(header.timestamp);
    assert.deepEqual(await seen(clock, clock), [
      [number, time],
      [number + 1, time + 1],
    ]);
    const changed = { ...clock, blockOverride: { number: "0x64", time: "0x3e8" } };
    assert.deepEqual(await seen(clock, changed, clock), [
      [number, time],
      [100, 1000],
      [101, 1001],
    ]);
    const inErigon = { ...clock, blockOverride: { blockNumber: "0x64", timestamp: "0x3e8" } };
    assert.deepEqual(await seen(inErigon), [[100, 1000]]);
  });

  it("eth_callMany reports why a call failed, and refuses what cannot start", async () => {
    const reverting = { from, to: at.REVERTER };
    const endless = { from, data: "0x5b600056", gas: "0x186a0" };
    const [[reverted, exhausted]] = await call("eth_callMany", [{ transactions: [reverting, endless] }]);
    assert.match(reverted.error, /^execution reverted/);
    assert.equal(reverted.value, undefined);
    assert.deepEqual(exhausted, { error: "out of gas" });
    await refused("eth_callMany", [[]], -32602, /empty bundles/);
    await refused("eth_callMany", [[{ transactions: [] }]], -32602, /empty bundles/);
    await refused("eth_callMany", [[{}]], -32602, /transactions must be an array/);
    await refused("eth_callMany", [[{ transactions: [{ from, to: at.TALLY, gas: "0x1" }] }]], -32000, /intrinsic gas/);
    const many = new Array(1_001).fill({ from, to: at.TALLY });
    await refused("eth_callMany", [[{ transactions: many }]], -38026, /at most 1000/);
    await refused("eth_callMany", [[{ transactions: [reverting] }], { blockNumber: "0x99" }], -32600, /not found/);
  });

  it("debug_traceCallMany traces each call like the transaction", async () => {
    const request = { from, to: at.TALLY, gas: `0x${block.transactions[0]!.gasLimit.toString(16)}` };
    const bundles = [{ transactions: [request, request] }];
    for (const options of [{}, { tracer: "callTracer" }, { tracer: "prestateTracer" }]) {
      const [traces] = await call("debug_traceCallMany", bundles, { blockNumber: "0x2", transactionIndex: 0 }, options);
      const mined = await call("debug_traceBlockByNumber", "0x2", options);
      const gas = (trace: Json) => trace.gas ?? Object.keys(trace);
      assert.deepEqual(traces.map(gas), [gas(mined[0].result), gas(mined[1].result)], JSON.stringify(options));
    }
    const options = { stateOverrides: { [at.TALLY!]: { code: `0x${CLOCK}` } }, blockOverrides: { number: "0x64" } };
    const [[first], [second]] = await call("debug_traceCallMany", [...bundles, ...bundles], {}, options);
    assert.equal(first.returnValue.replace(/^0x/, "").slice(0, 64), word(100));
    assert.equal(second.returnValue.replace(/^0x/, "").slice(0, 64), word(101));
    await refused("debug_traceCallMany", [bundles, {}, { rules: "ethereum/prague" }], -32602, /debug_traceCall only/);
  });

  it("trace_callMany returns for each call what it asks for", async () => {
    const tally = { from, to: at.TALLY };
    const [first, second] = await call("trace_callMany", [
      [tally, ["trace"]],
      [tally, ["stateDiff"]],
    ]);
    assert.deepEqual(
      [first.output, second.output],
      [4, 5].map((count) => `0x${word(count)}`),
    );
    assert.deepEqual([first.trace.length, first.stateDiff], [1, null]);
    const { from: before, to: after } = second.stateDiff[at.TALLY!].storage[`0x${word(0)}`]["*"];
    assert.deepEqual([Number(before), Number(after)], [4, 5]);
    assert.deepEqual(first, await call("trace_call", tally, ["trace"]));
    await refused("trace_callMany", [[]], -32602, /empty bundles/);
    await refused("trace_callMany", [[tally]], -32602, /expected \[call, types\]/);
  });

  it("headers are blocks without their contents", async () => {
    const { transactions, uncles, size, ...header } = await call("eth_getBlockByNumber", "0x2");
    assert.deepEqual([transactions.length, uncles], [4, []]);
    assert.ok(size);
    assert.deepEqual(await call("eth_getHeaderByNumber", "0x2"), header);
    assert.deepEqual(await call("eth_getHeaderByHash", header.hash), header);
    assert.equal(await call("eth_getHeaderByNumber", "0x99"), null);
    assert.equal(await call("eth_getHeaderByHash", `0x${"11".repeat(32)}`), null);
  });
});
