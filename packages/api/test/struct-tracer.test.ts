import assert from "node:assert/strict";
import { fromHex, toData, toHex, toQuantity } from "@cambium/primitives";
import { ECHO, LOOP, SETTER } from "@cambium/test-utils/api/real-chain";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, "0")}`;
/** Pushes in an endless loop. */
const OVERFLOWING = "5b5f600056";
/** Code that calls an account with 60 000 gas. */
const callTo = (address: string) => `6000600060006000600073${address.slice(2)}61ea60f1`;

describe("default tracer as go-ethereum's", () => {
  let service: RealApi;
  const at: Record<string, string> = {};

  before(async () => {
    service = await openOver({ compatibility: "specification" });
    for (const [name, code] of Object.entries({ ECHO, LOOP, SETTER })) {
      at[name] = toData(service.real.deploy(code));
    }
    await service.real.mine();
  });

  const to = `0x${"12".repeat(20)}`;

  /** Trace of a call to an account with this code. */
  const trace = (code: string, options: object = {}, members: object = {}): Promise<Json> => {
    const stateOverrides = { [to]: { code: `0x${code}` } };
    return service.call("debug_traceCall", { to, ...members }, "latest", { stateOverrides, ...options });
  };

  it("has its members and no others", async () => {
    const { structLogs, ...members } = await trace("60016002016000555b");
    assert.deepEqual(members, { gas: 41_013, failed: false, returnValue: "0x" });
    const { gas } = structLogs[0];
    assert.deepEqual(structLogs.slice(0, 3), [
      { pc: 0, op: "PUSH1", gas, gasCost: 3, depth: 1, stack: [] },
      { pc: 2, op: "PUSH1", gas: gas - 3, gasCost: 3, depth: 1, stack: ["0x1"] },
      { pc: 4, op: "ADD", gas: gas - 6, gasCost: 3, depth: 1, stack: ["0x1", "0x2"] },
    ]);
    const store = structLogs.find(({ op }: Json) => op === "SSTORE");
    assert.deepEqual([store.gasCost, store.storage], [20_000, { [word(0)]: word(3) }]);
    // The end of the code is a STOP.
    const { pc, op, gasCost } = structLogs.at(-1);
    assert.deepEqual([pc, op, gasCost], [9, "STOP", 0]);
  });

  it("shows memory, return data, stack and storage as the options say", async () => {
    const options = { enableMemory: true, enableReturnData: true };
    const { structLogs } = await trace(`6042600052600050${callTo(at.ECHO!)}00`, options);
    assert.deepEqual(structLogs[3].memory, [word(0x42)]);
    assert.deepEqual([structLogs[0].memory, structLogs[0].returnData], [undefined, undefined]);
    assert.equal(structLogs.at(-1).returnData, word(0));
    const none = await trace("60016000556000545000", { disableStack: true, disableStorage: true });
    for (const log of none.structLogs) assert.deepEqual(Object.keys(log), ["pc", "op", "gas", "gasCost", "depth"]);
    const cells = await trace("6001600055600160025560005450", { tracerConfig: { disableStack: true } });
    const shown = cells.structLogs.flatMap(({ op, storage }: Json) => (storage ? [[op, storage]] : []));
    assert.deepEqual(shown, [
      ["SSTORE", { [word(0)]: word(1) }],
      ["SSTORE", { [word(0)]: word(1), [word(2)]: word(1) }],
      ["SLOAD", { [word(0)]: word(1), [word(2)]: word(1) }],
    ]);
    const few = await trace("6001600055600160025560005450", { limit: 2 });
    assert.deepEqual([few.structLogs.length, few.failed], [2, false]);
  });

  it("shows the cost of a call with the gas that it forwards at the call, and that of RETURN at RETURN", async () => {
    const { structLogs } = await trace(`${callTo(at.ECHO!)}00`);
    const own = structLogs.find(({ op }: Json) => op === "CALL");
    const returned = structLogs.find(({ op }: Json) => op === "RETURN");
    assert.deepEqual([own.depth, own.gasCost], [1, 60_000 + 700]);
    assert.deepEqual([returned.depth, returned.gasCost], [2, 0]);
    const [first] = structLogs.filter(({ depth }: Json) => depth === 2);
    assert.equal(first.gas, 60_000);
    assert.equal(structLogs.at(-1).depth, 1);
  });

  it("shows the cost of a creation and the steps of its code", async () => {
    // Init code of one byte, STOP.
    const { structLogs } = await trace("600160006000f000");
    const create = structLogs.find(({ op }: Json) => op === "CREATE");
    assert.deepEqual([create.gasCost, create.depth], [32_003 + 2, 1]);
    assert.equal(structLogs.find(({ depth }: Json) => depth === 2).op, "STOP");
  });

  it("names opcodes and errors as go-ethereum does, at the step that fails", async () => {
    const failing = async (code: string, members: object = {}) => {
      const result = await trace(code, { disableStack: code === OVERFLOWING }, members);
      assert.deepEqual([result.failed, result.returnValue], [true, "0x"]);
      assert.equal(result.structLogs.filter((log: Json) => log.error !== undefined).length, 1);
      const { op, error, gasCost } = result.structLogs.at(-1);
      return [op, error, gasCost];
    };
    assert.deepEqual(await failing("5b0c"), ["opcode 0xc not defined", "invalid opcode: opcode 0xc not defined", 0]);
    assert.deepEqual(await failing("fe"), ["INVALID", "invalid opcode: INVALID", 0]);
    assert.deepEqual(await failing("600101"), ["ADD", "stack underflow (1 <=> 2)", 3]);
    assert.deepEqual(await failing(OVERFLOWING), ["PUSH1", "stack limit reached 1024 (1023)", 3]);
    assert.deepEqual(await failing("600156"), ["JUMP", "invalid jump destination", 8]);
    const gas = toQuantity(50_000);
    assert.deepEqual(await failing("60016000556001600155", { gas }), ["SSTORE", "out of gas", 20_000]);
    const paying = `5f5f5f5f60017f${"77".repeat(32)}5af1`;
    const cost = 700 + 25_000 + 9_000 + 2_300;
    assert.deepEqual(await failing(paying, { gas: toQuantity(22_000) }), ["CALL", "out of gas", cost]);
    const hashed = await trace("60006000205033ff");
    assert.equal(
      hashed.structLogs.map(({ op }: Json) => op).join(" "),
      "PUSH1 PUSH1 KECCAK256 POP CALLER SELFDESTRUCT",
    );
    const reverted = await trace("60ff60005260206000fd");
    const { error } = reverted.structLogs.at(-1);
    assert.deepEqual([reverted.failed, reverted.returnValue, error], [true, word(0xff), undefined]);
  });

  it("shows the error of a nested frame at its step, and the refund counter", async () => {
    const { structLogs, failed } = await trace(`${callTo(at.LOOP!)}00`);
    assert.equal(failed, false);
    const errors = structLogs.filter(({ error }: Json) => error !== undefined);
    assert.deepEqual(
      errors.map(({ depth, error }: Json) => [depth, error]),
      [[2, "out of gas"]],
    );
    const cleared = await trace("600160005560006000556000");
    assert.equal(cleared.structLogs.at(-1).refund, 15_000);
    assert.equal(cleared.structLogs[0].refund, undefined);
  });

  it("fits 8 005 steps into a response", async () => {
    // Eight full words on the stack, and 1 000 rounds of 8 steps.
    const words = `7f${"ab".repeat(32)}`.repeat(8);
    const start = toHex(Uint8Array.of((8 * 33 + 3) >> 8, (8 * 33 + 3) & 0xff));
    const { structLogs } = await trace(`${words}6103e85b60019003805b61${start}5700`);
    assert.equal(structLogs.length, 8 + 1 + 8_000 + 1);
  });

  it("is the same for transactions and blocks", async () => {
    const { real } = service;
    const sent = real.send({ to: fromHex(at.SETTER!.slice(2)), data: fromHex(word(3).slice(2) + word(8).slice(2)) });
    await real.mine();
    const own = await service.call("debug_traceTransaction", toData(sent.hash));
    assert.deepEqual(Object.keys(own), ["gas", "failed", "returnValue", "structLogs"]);
    assert.deepEqual(own.structLogs.at(-2).storage, { [word(3)]: word(8) });
    const [first] = await service.call("debug_traceBlockByNumber", "latest");
    assert.deepEqual(first, { txHash: toData(sent.hash), result: own });
  });

  it("returns a part of the steps, and says how many there are", async () => {
    const code = "60016002016000555b";
    const { structLogs: all, steps: none } = await trace(code);
    assert.equal(none, undefined);
    const { structLogs, steps, ...rest } = await trace(code, { offset: 2, limit: 2 });
    assert.equal(steps, all.length);
    assert.deepEqual(structLogs, all.slice(2, 4));
    assert.deepEqual(rest, { gas: 41_013, failed: false, returnValue: "0x" });
    const beyond = await trace(code, { offset: Number.MAX_SAFE_INTEGER, limit: 1 });
    assert.deepEqual([beyond.structLogs, beyond.steps], [[], all.length]);
    assert.deepEqual((await trace(code, { offset: 0 })).structLogs, all);
    await assert.rejects(trace(code, { offset: -1 }), { code: -32602, message: "Invalid offset: -1" });
  });

  it("ends at the client's time limit", async () => {
    const endless = { code: 0, gas: "0x989680" };
    await assert.rejects(trace("5b600056", { timeout: "1ns" }, endless), { code: -32011 });
    for (const timeout of ["60s", "1h2m3.5s", "300000ms", ".5m", "90000000us", "90000000µs", null]) {
      assert.equal((await trace("00", { timeout })).failed, false);
    }
    for (const timeout of ["", "5", "-1s", "0s", "s", "1x", "1s ", "5 s", 5, "9".repeat(400)]) {
      const message = /^Invalid timeout/;
      await assert.rejects(trace("00", { timeout }), { code: -32602, message }, String(timeout));
    }
  });

  it("refuses rules other than the chain's", async () => {
    assert.equal((await trace("00", { overrides: {} })).failed, false);
    await assert.rejects(trace("00", { overrides: { shanghaiTime: 0 } }), { code: -32602 });
  });

  it("refuses a limit that is no number", async () => {
    await assert.rejects(trace("00", { limit: -1 }), { code: -32602, message: "Invalid limit: -1" });
    await assert.rejects(trace("00", { limit: "many" }), { code: -32602 });
  });
});
