import assert from "node:assert/strict";
import { fromHex, toData } from "@cambium/primitives";
import { COUNTER, callerOf, creationOf, ECHO, LOGGER, REVERTER, SENDER } from "@cambium/test-utils/api/real-chain";
import type { Transaction } from "@cambium/types";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, "0")}`;
const bytes = (data: string) => fromHex(data.slice(2));
const from = toData(SENDER);

describe("go-ethereum's further tracers", () => {
  let service: RealApi;
  const at: Record<string, string> = {};
  const sent: Record<string, Transaction> = {};
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);
  const trace = (name: string, options: object) => call("debug_traceTransaction", toData(sent[name]!.hash), options);

  before(async () => {
    service = await openOver({ compatibility: "specification" });
    const { real } = service;
    for (const [name, code] of Object.entries({ COUNTER, ECHO, LOGGER, REVERTER }))
      at[name] = toData(real.deploy(code));
    await real.mine();
    at.caller = toData(real.deploy(callerOf(bytes(at.ECHO!))));
    at.destroyer = toData(real.deploy("33ff", 7n));
    await real.mine();
    sent.call = real.send({ to: bytes(at.caller), data: bytes(word(0xbeef)) });
    sent.revert = real.send({ to: bytes(at.REVERTER!) });
    sent.create = real.send({ data: creationOf(COUNTER) });
    sent.destroy = real.send({ to: bytes(at.destroyer) });
    sent.count = real.send({ to: bytes(at.COUNTER!) });
    sent.fail = real.send({ data: fromHex("fe") });
    await real.mine();
  });

  describe("flatCallTracer", () => {
    const options = { tracer: "flatCallTracer" };

    it("lists calls with their places, as trace_transaction does", async () => {
      for (const name of ["call", "create", "destroy"]) {
        const flat: Json[] = await trace(name, options);
        const listed: Json[] = await call("trace_transaction", toData(sent[name]!.hash));
        const shown = flat.map(({ action: { creationMethod: _, ...action }, result, ...one }) => {
          return { ...one, action, result: result ?? null };
        });
        assert.deepEqual(shown, listed);
        assert.equal(BigInt(flat[0].action.gas), sent[name]!.gasLimit);
      }
      assert.equal((await trace("create", options))[0].action.creationMethod, "create");
    });

    it("shows the result of reverts but not of failures, and OpenEthereum's errors on demand", async () => {
      const [reverted] = await trace("revert", options);
      assert.deepEqual([reverted.error, reverted.result.output], ["execution reverted", "0x"]);
      const [failed] = await trace("fail", options);
      assert.deepEqual([failed.error, "result" in failed], ["invalid opcode: INVALID", false]);
      const parity = { ...options, tracerConfig: { convertParityErrors: true } };
      assert.equal((await trace("revert", parity))[0].error, "Reverted");
      assert.equal((await trace("fail", parity))[0].error, "Bad instruction");
    });

    it("places calls nowhere, and those of a block in it", async () => {
      const [simulated] = await call("debug_traceCall", { to: at.ECHO }, "latest", options);
      const { blockHash, blockNumber, transactionHash, transactionPosition } = simulated;
      assert.deepEqual([blockHash, blockNumber, transactionHash, transactionPosition], [null, 0, null, 0]);
      const block = await call("debug_traceBlockByNumber", "0x3", options);
      assert.deepEqual(block[1].result, await trace("revert", options));
      assert.equal(block[1].result[0].transactionPosition, 1);
    });
  });

  it("noopTracer returns nothing", async () => {
    assert.deepEqual(await trace("call", { tracer: "noopTracer" }), {});
    const [[result]] = await call(
      "debug_traceCallMany",
      [{ transactions: [{ to: at.ECHO }] }],
      {},
      { tracer: "noopTracer" },
    );
    assert.deepEqual(result, {});
  });

  describe("muxTracer", () => {
    const parts: Record<string, object> = {
      callTracer: { withLog: true },
      "4byteTracer": {},
      prestateTracer: { diffMode: true },
      flatCallTracer: {},
      structTracer: { disableStack: true },
      noopTracer: {},
      erc7562Tracer: {},
    };

    it("returns what each of its tracers returns", async () => {
      for (const name of ["call", "create", "destroy", "revert"]) {
        const all = await trace(name, { tracer: "muxTracer", tracerConfig: parts });
        assert.deepEqual(Object.keys(all), Object.keys(parts));
        for (const [tracer, tracerConfig] of Object.entries(parts)) {
          assert.deepEqual(all[tracer], await trace(name, { tracer, tracerConfig }), `${name} ${tracer}`);
        }
      }
      assert.deepEqual(await trace("call", { tracer: "muxTracer", tracerConfig: { "4byteTracer": null } }), {
        "4byteTracer": { "0x00000000-28": 2 },
      });
    });

    it("refuses itself, unknown tracers and the same one twice", async () => {
      const refused = (tracerConfig: object, message: RegExp) =>
        assert.rejects(trace("call", { tracer: "muxTracer", tracerConfig }), (error: Json) => {
          assert.equal(error.code, -32602);
          assert.match(error.message, message);
          return true;
        });
      await refused({ muxTracer: {} }, /cannot run another/);
      await refused({ callTracer: {}, CALLTRACER: {} }, /once/);
      await refused({ otherTracer: {} }, /Invalid tracer type/);
      await refused({ callTracer: 5 }, /./);
    });
  });

  describe("erc7562Tracer", () => {
    const to = `0x${"12".repeat(20)}`;
    const use = (code: string, config: object = {}): Promise<Json> => {
      const options = {
        tracer: "erc7562Tracer",
        tracerConfig: config,
        stateOverrides: { [to]: { code: `0x${code}` } },
      };
      return call("debug_traceCall", { to }, "latest", options);
    };

    it("lists cells, and values only where the frame had not written them before", async () => {
      const { accessedSlots } = await use(
        "60015450600260015560015450600354506005600355600154506007600755600754505f5c505f5f5d",
      );
      assert.deepEqual(accessedSlots, {
        reads: { [word(1)]: [word(0)], [word(3)]: [word(0)] },
        writes: { [word(1)]: 1, [word(3)]: 1, [word(7)]: 1 },
        transientReads: { [word(0)]: 1 },
        transientWrites: { [word(0)]: 1 },
      });
    });

    it("counts opcodes, and GAS unless a call follows", async () => {
      const calling = (gas: string) => `5f5f5f5f5f73${at.ECHO!.slice(2)}${gas}f1`;
      assert.deepEqual((await use(calling("5a"))).usedOpcodes, { "0xf1": 1, "0x0": 1 });
      assert.deepEqual((await use(`${calling("5a")}5a50`)).usedOpcodes, { "0xf1": 1, "0x0": 1, "0x5a": 1 });
      const counted = await use("4242", { ignoredOpcodes: ["0x0"] });
      assert.deepEqual(counted.usedOpcodes, { "0x42": 2 });
    });

    it("lists accessed code, sizes of contracts, hashed data and frames without gas", async () => {
      const size = (ECHO.length / 2).toString(16);
      const sizes = await use(
        `73${at.ECHO!.slice(2)}3b5073${"77".repeat(20)}3b15505f5f5f5f5f73${at.caller!.slice(2)}60fff1`,
      );
      assert.deepEqual(sizes.extCodeAccessInfo, [at.ECHO]);
      assert.deepEqual(sizes.contractSize[at.ECHO!], { contractSize: Number(`0x${size}`), opcode: 0x3b });
      assert.deepEqual(sizes.contractSize[`0x${"77".repeat(20)}`], { contractSize: 0, opcode: 0x3b });
      assert.equal(sizes.contractSize[at.caller!].opcode, 0xf1);
      assert.equal(sizes.calls[0].outOfGas, true);
      assert.equal(sizes.outOfGas, false);
      const hashed = await use("60425f5260205f205060205f2050602060402000");
      assert.deepEqual(hashed.keccak, [word(0), word(0x42)]);
      assert.equal(sizes.keccak, undefined);
    });

    it("has the members of a call frame, for transactions too", async () => {
      const { accessedSlots, extCodeAccessInfo, usedOpcodes, contractSize, outOfGas, calls, ...frame } = await trace(
        "call",
        { tracer: "erc7562Tracer" },
      );
      const { calls: inner, ...own } = await trace("call", { tracer: "callTracer" });
      assert.deepEqual(frame, own);
      assert.deepEqual([calls[0].to, inner.length, outOfGas], [at.ECHO, 1, false]);
      assert.equal(contractSize[at.ECHO!].contractSize, ECHO.length / 2);
      assert.ok(accessedSlots && extCodeAccessInfo && usedOpcodes);
      const destroyed = await trace("destroy", { tracer: "erc7562Tracer" });
      assert.deepEqual(destroyed.calls[0].usedOpcodes, {});
    });
  });

  describe("vmTrace", () => {
    it("lists what each step changed", async () => {
      const { vmTrace, trace: calls } = await call("trace_replayTransaction", toData(sent.count!.hash), ["vmTrace"]);
      assert.deepEqual(calls, []);
      assert.equal(vmTrace.code, `0x${COUNTER}`);
      const gas = 2_000_000 - 21_000;
      assert.deepEqual(vmTrace.ops.slice(0, 2), [
        { pc: 0, cost: 3, ex: { used: gas - 3, push: ["0x1"], mem: null, store: null }, sub: null },
        { pc: 2, cost: 3, ex: { used: gas - 6, push: ["0x0"], mem: null, store: null }, sub: null },
      ]);
      const store = vmTrace.ops.at(-2);
      assert.deepEqual([store.cost, store.ex.store], [20_000, { key: "0x0", val: "0x1" }]);
      assert.deepEqual(vmTrace.ops.at(-1).ex.push, []);
      const { gasUsed } = await call("eth_getTransactionReceipt", toData(sent.count!.hash));
      assert.equal(2_000_000 - vmTrace.ops.at(-1).ex.used, Number(gasUsed));
    });

    it("nests the steps of calls and shows the memory that they write", async () => {
      const data = word(0xbeef);
      const { vmTrace, output } = await call("trace_call", { from, to: at.caller, data }, ["vmTrace"], "latest");
      const calling = vmTrace.ops.find(({ sub }: Json) => sub !== null);
      assert.equal(calling.sub.code, `0x${ECHO}`);
      assert.deepEqual(calling.ex.mem, { off: 0, data });
      assert.deepEqual([calling.ex.push, output], [["0x1"], data]);
      const stored = calling.sub.ops.find(({ ex }: Json) => ex.mem !== null);
      assert.deepEqual(stored.ex.mem, { off: 0, data });
    });

    it("shows no effect of a step that fails, and null if no code ran", async () => {
      const { vmTrace } = await call("trace_replayTransaction", toData(sent.fail!.hash), ["vmTrace"]);
      assert.deepEqual(vmTrace, { code: "0xfe", ops: [{ pc: 0, cost: 0, ex: null, sub: null }] });
      const transfer = await call("trace_call", { from, to: from, value: "0x1" }, ["vmTrace", "trace", "stateDiff"]);
      assert.deepEqual([transfer.vmTrace, transfer.trace.length], [null, 1]);
      const [first] = await call("trace_replayBlockTransactions", "0x3", ["vmTrace"]);
      assert.equal(first.vmTrace.code, `0x${callerOf(bytes(at.ECHO!))}`);
      const [many] = await call("trace_callMany", [[{ from, to: at.ECHO }, ["vmTrace"]]]);
      assert.equal(many.vmTrace.code, `0x${ECHO}`);
    });
  });
});
