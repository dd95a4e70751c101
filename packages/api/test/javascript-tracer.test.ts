import assert from "node:assert/strict";
import { contractAddress, contractAddress2, fromHex, keccak256, toData } from "@cambium/primitives";
import {
  COUNTER,
  callerOf,
  creationOf,
  ECHO,
  LOOP,
  REVERTER,
  SENDER,
  SETTER,
} from "@cambium/test-utils/api/real-chain";
import type { Transaction } from "@cambium/types";
import { DEFAULT_API_CONFIG } from "../src/config.js";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const word = (value: number | bigint) => `0x${value.toString(16).padStart(64, "0")}`;
const bytes = (data: string) => fromHex(data.slice(2));
const from = toData(SENDER);
const trace = { ...DEFAULT_API_CONFIG.trace, javascript: true };
/** The error of a request that times out before its tracer does. */
const TIMEOUT = /timeout/;
/** A tracer that only returns a value. */
const returning = (value: string) => `{ fault() {}, result(ctx, db) { return ${value}; } }`;

describe("JavaScript tracers", () => {
  let service: RealApi;
  const at: Record<string, string> = {};
  const sent: Record<string, Transaction> = {};
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);
  const hash = (name: string) => toData(sent[name]!.hash);
  const run = (name: string, tracer: string, tracerConfig?: object) =>
    call("debug_traceTransaction", hash(name), { tracer, tracerConfig });

  before(async () => {
    service = await openOver({ trace, timeout: 120_000 });
    const { real } = service;
    for (const [name, code] of Object.entries({ COUNTER, ECHO, LOOP, REVERTER, SETTER })) {
      at[name] = toData(real.deploy(code));
    }
    await real.mine();
    at.caller = toData(real.deploy(callerOf(bytes(at.ECHO!))));
    at.destroyer = toData(real.deploy("33ff", 7n));
    await real.mine();
    sent.call = real.send({ to: bytes(at.caller), data: bytes(word(0xbeef)) });
    sent.count = real.send({ to: bytes(at.COUNTER!) });
    sent.revert = real.send({ to: bytes(at.REVERTER!) });
    sent.loop = real.send({ to: bytes(at.LOOP!), gasLimit: 22_000n });
    sent.create = real.send({ data: creationOf(COUNTER), value: 3n });
    sent.destroy = real.send({ to: bytes(at.destroyer) });
    sent.transfer = real.send({ to: new Uint8Array(20).fill(0x66), value: 5n });
    sent.count2 = real.send({ to: bytes(at.COUNTER!) });
    await real.mine();
  });

  describe("step", () => {
    const STEPS = `{
      list: [],
      step(log, db) {
        this.list.push({ op: log.op.toString(), number: log.op.toNumber(), push: log.op.isPush(), pc: log.getPC(),
          gas: log.getGas(), gasCost: log.getCost(), depth: log.getDepth(), refund: log.getRefund(),
          error: log.getError(), stack: this.stackOf(log), memory: log.memory.length() });
      },
      stackOf(log) {
        const list = [];
        for (let i = log.stack.length() - 1; i >= 0; i--) list.push("0x" + log.stack.peek(i).toString(16));
        return list;
      },
      fault(log) { this.list.push({ fault: log.getError() }); },
      result() { return this.list; },
    }`;

    it("sees what the default tracer shows, costs before the step runs", async () => {
      for (const name of ["call", "count", "create", "destroy"]) {
        const own: Json[] = await run(name, STEPS);
        const { structLogs } = await call("debug_traceTransaction", hash(name));
        const shown = own.map(({ op, pc, gas, gasCost, depth, stack }) => ({ pc, op, gas, gasCost, depth, stack }));
        const expected = structLogs.map(({ storage: _, refund: __, ...log }: Json) => log);
        assert.deepEqual(shown, expected, name);
      }
      const [first] = await run("count", STEPS);
      assert.deepEqual([first.number, first.push, first.memory, first.refund], [0x60, true, 0, 0]);
    });

    it("and fault see failures as go-ethereum reports them", async () => {
      const reverted = await run("revert", STEPS);
      assert.deepEqual(reverted.at(-1), { fault: "execution reverted" });
      const out = await run("loop", STEPS);
      assert.equal(out.at(-1).error, "out of gas");
      assert.ok(!out.some(({ fault }: Json) => fault !== undefined));
      const options = { tracer: STEPS, stateOverrides: { [at.ECHO!]: { code: "0xfe" } } };
      const invalid = await call("debug_traceCall", { to: at.ECHO }, "latest", options);
      assert.deepEqual([invalid.at(-2).error, invalid.at(-1)], [undefined, { fault: "invalid opcode: INVALID" }]);
    });

    it("reads memory, contract and state as they are before the step", async () => {
      const tracer = `{
        seen: [],
        step(log, db) {
          const op = log.op.toString();
          if (op === "SSTORE") {
            const { contract } = log;
            const slot = toWord(log.stack.peek(0).toString(16));
            this.seen.push(toHex(db.getState(contract.getAddress(), slot)), toHex(contract.getCaller()),
              toHex(contract.getAddress()), contract.getValue().toString(), toHex(contract.getInput()));
          }
          if (op === "RETURN" && log.getDepth() === 2) {
            const offset = log.stack.peek(0).valueOf();
            this.seen.push(toHex(log.memory.slice(offset, offset + 32)), log.memory.getUint(offset).toString(16),
              toHex(log.contract.getCaller()), toHex(log.contract.getInput()));
          }
        },
        fault() {},
        result() { return this.seen; },
      }`;
      assert.deepEqual(await run("count", tracer), [word(0), from, at.COUNTER, "0", "0x"]);
      assert.deepEqual((await run("count2", tracer))[0], word(1));
      assert.deepEqual(await run("call", tracer), [word(0xbeef), "beef", at.caller, word(0xbeef)]);
    });
  });

  it("enter and exit see calls, creations and self-destructs", async () => {
    const tracer = `{
      list: [],
      enter(frame) {
        const value = frame.getValue();
        this.list.push([frame.getType(), toHex(frame.getFrom()), toHex(frame.getTo()), toHex(frame.getInput()),
          frame.getGas() > 0, value && value.toString()]);
      },
      exit(result) { this.list.push([result.getGasUsed(), toHex(result.getOutput()), result.getError()]); },
      fault() {},
      result() { return this.list; },
    }`;
    const [inner] = (await call("debug_traceTransaction", hash("call"), { tracer: "callTracer" })).calls;
    assert.deepEqual(await run("call", tracer), [
      ["CALL", at.caller, at.ECHO, word(0xbeef), true, "0"],
      [Number(inner.gasUsed), word(0xbeef), null],
    ]);
    assert.deepEqual(await run("destroy", tracer), [
      ["SELFDESTRUCT", at.destroyer, from, "0x", false, "7"],
      [0, "0x", null],
    ]);
    assert.deepEqual(await run("count", tracer), []);
    const code = `0x7f${"60016000f3".padEnd(64, "0")}5f5260055ff0`.replace("60055ff0", "60055f5ff0");
    const stateOverrides = { [at.ECHO!]: { code } };
    const created = await call("debug_traceCall", { to: at.ECHO }, "latest", { tracer, stateOverrides });
    assert.deepEqual([created[0][0], created[1]], ["CREATE", [6 + 3 + 200, "0x00", null]]);
    const delegating = { [at.ECHO!]: { code: `0x5f5f5f5f73${at.COUNTER!.slice(2)}5af4` } };
    const [delegated] = await call("debug_traceCall", { to: at.ECHO }, "latest", {
      tracer,
      stateOverrides: delegating,
    });
    assert.deepEqual(delegated.slice(0, 3), ["DELEGATECALL", at.ECHO, at.COUNTER]);
  });

  describe("result", () => {
    it("has the transaction as ctx", async () => {
      const tracer = `{ fault() {}, result(ctx) {
        const shown = {};
        for (const name of Object.keys(ctx)) {
          const value = ctx[name];
          shown[name] = value instanceof Uint8Array ? toHex(value) : bigInt.isInstance(value) ? "big " + value : value;
        }
        return shown;
      } }`;
      const { intrinsicGas, ...context } = await run("create", tracer);
      const block = await call("eth_getBlockByNumber", "latest");
      const receipt = await call("eth_getTransactionReceipt", hash("create"));
      assert.deepEqual(context, {
        type: "CREATE",
        from,
        to: receipt.contractAddress,
        input: toData(creationOf(COUNTER)),
        value: "big 3",
        gas: 2_000_000,
        gasUsed: Number(receipt.gasUsed),
        gasPrice: "big 1",
        block: 3,
        coinbase: block.miner,
        output: `0x${COUNTER}`,
        blockHash: block.hash,
        txHash: hash("create"),
        txIndex: 4,
      });
      assert.ok(intrinsicGas > 50_000);
      const failed = await run("revert", tracer);
      assert.deepEqual([failed.type, failed.error, failed.to], ["CALL", "execution reverted", at.REVERTER]);
      const simulated = await call("debug_traceCall", { from, to: at.ECHO, data: "0x01" }, "latest", { tracer });
      assert.deepEqual([simulated.input, simulated.blockHash, simulated.block], ["0x01", undefined, 3]);
      assert.equal((await run("transfer", tracer)).value, "big 5");
    });

    it("reads the state after the transaction", async () => {
      const echo = `toAddress("${at.ECHO}")`;
      const counter = `toAddress("${at.COUNTER}")`;
      const value = `[db.getBalance(ctx.to).toString(), db.getNonce(ctx.from), toHex(db.getCode(${echo})),
        toHex(db.getState(${counter}, toWord("0x0"))), db.exists(ctx.to), db.exists(toAddress("0x99"))]`;
      const nonce = Number(sent.count!.nonce) + 1;
      assert.deepEqual(await run("count", returning(value)), ["0", nonce, `0x${ECHO}`, word(1), true, false]);
      assert.equal((await run("count2", returning(value)))[3], word(2));
      assert.equal((await run("transfer", returning(value)))[0], "5");
    });

    it("is any JSON, and null if undefined", async () => {
      assert.equal(await run("call", returning("undefined")), null);
      assert.deepEqual(await run("call", returning("[1, 'a', null, { b: [] }]")), [1, "a", null, { b: [] }]);
      assert.deepEqual(
        await run("call", returning("bigInt('123456789012345678901234567890')")),
        "123456789012345678901234567890",
      );
    });
  });

  it("have go-ethereum's functions", async () => {
    const evaluate = (value: string) => run("call", returning(value));
    assert.equal(await evaluate("toHex(toWord('0x12'))"), word(0x12));
    assert.equal(await evaluate("toHex(toAddress(new Uint8Array(32).fill(7)))"), `0x${"07".repeat(20)}`);
    assert.equal(await evaluate("toHex([1, 255])"), "0x01ff");
    assert.equal(await evaluate("toHex(slice(toWord('0xff'), 30, 32))"), "0x00ff");
    const created = toData(contractAddress(SENDER, 7n));
    assert.equal(await evaluate(`toHex(toContract('${from}', 7))`), created);
    const salted = toData(contractAddress2(SENDER, bytes(word(9)), keccak256(fromHex("6001"))));
    assert.equal(await evaluate(`toHex(toContract2('${from}', '0x9', '0x6001'))`), salted);
    const native = "toAddress('0x0000000000000000000000000000000001000006')";
    assert.deepEqual(
      await evaluate(`[isPrecompiled(toAddress('0x01')), isPrecompiled(${native}), isPrecompiled(ctx.to)]`),
      [true, true, false],
    );
    const numbers = `[bigInt('ff', 16), bigInt(10).add(5).times('3').over(2).toString(16), bigInt(5).compare(7),
      bigInt(2).pow(64).toString(), bigInt(-5).abs() + 1, bigInt.zero.isZero(), bigInt(6).and(3).eq(2),
      bigInt(1).shiftLeft(4).toJSNumber(), bigInt('-10', 2).toString()]`;
    assert.deepEqual(await evaluate(numbers), ["255", "16", -1, "18446744073709551616", 6, true, true, 16, "-2"]);
  });

  it("get their configuration, start again for each transaction, and work for blocks and bundles", async () => {
    const tracer = `{ count: 0, setup(config) { this.config = JSON.parse(config); }, step() { this.count++; },
      fault() {}, result() { return [this.config, this.count]; } }`;
    assert.deepEqual((await run("count", tracer, { a: [1] }))[0], { a: [1] });
    const single = await run("count", tracer);
    assert.deepEqual(single, [{}, 7]);
    const block = await call("debug_traceBlockByNumber", "0x3", { tracer });
    assert.deepEqual(block[1], { txHash: hash("count"), result: single });
    assert.deepEqual(block[7].result, single);
    const bundles = [{ transactions: [{ to: at.COUNTER }, { to: at.ECHO }] }];
    const [[first, second]] = await call("debug_traceCallMany", bundles, {}, { tracer });
    assert.deepEqual([first, second[1] > 0], [single, true]);
  });

  describe("that are wrong or hostile", () => {
    const refused = async (tracer: string, message: RegExp, timeout = message === TIMEOUT ? 1_500 : 120_000) => {
      const parts = await openOver({ trace, timeout }, {}, service.real);
      const traced = parts.call("debug_traceTransaction", hash("call"), { tracer });
      return assert.rejects(traced, (error: Json) => {
        assert.ok(error.code === -32000 || error.code === -32011, error.message);
        assert.match(error.message, message);
        assert.ok(error.message.length < 400);
        return true;
      });
    };
    const stepping = (body: string) => `{ step(log, db) { ${body} }, fault() {}, result() { return 1; } }`;

    afterEach(async () => {
      assert.equal(await run("call", returning("1 + 1")), 2);
    });

    it("are refused if they lack functions or cannot be parsed", async () => {
      await refused("{ result() {} }", /fault\(\)/);
      await refused("{ fault() {} }", /result\(\)/);
      await refused("{ fault() {}, result() {}, enter() {} }", /both enter\(\) and exit\(\)/);
      await refused("{ fault( }", /failed in source/);
      await refused("(() => { throw new Error('no') })()", /no/);
      await refused(`{ ${" ".repeat(300_000)} }`, /at most/);
      await assert.rejects(run("call", "noTracer"), { code: -32602 });
    });

    it("report what they throw, wherever", async () => {
      await refused(stepping("throw new Error('boo')"), /failed in step\(\): boo/);
      await refused(stepping("null.x"), /failed in step\(\)/);
      await refused(stepping("log.stack.peek(5000)"), /out of bound stack/);
      await refused(stepping("log.memory.slice(0, 1e12)"), /out of bound memory/);
      await refused(stepping("toHex(5)"), /invalid buffer type/);
      await refused("{ get step() { throw new Error('getter') }, fault() {}, result() {} }", /getter/);
      await refused(returning("{ get x() { throw new Error('inner') } }"), /failed in result\(\): inner/);
      await refused(returning("2n"), /failed in result\(\)/);
      await refused(stepping("throw { get message() { throw 1 } }"), /failed in step\(\)/);
      await refused(stepping("throw { toString() { throw 1 } }"), /failed in step\(\)/);
      await refused(stepping("throw { get message() { for (;;); } }"), TIMEOUT);
    }).timeout(20_000);

    it("end after the time for endless loops, even if they catch what ends them", async () => {
      await refused(stepping("for (;;);"), TIMEOUT);
      await refused(stepping("for (;;) { try { for (;;); } catch {} finally { for (;;); } }"), TIMEOUT);
      await refused("(() => { for (;;); })() && {}", TIMEOUT);
      await refused(returning("/(a+)+$/.test('a'.repeat(40) + '!')"), TIMEOUT);
    }).timeout(40_000);

    it("end after the time for JavaScript where requests may take longer", async () => {
      await refused(stepping("for (;;);"), /^the tracer runs longer than 5000 ms$/, 0);
    }).timeout(300_000);

    it("end at the limit of memory and of depth", async () => {
      await refused(stepping("const a = []; for (;;) a.push(new Uint8Array(1e6))"), /out of memory|longer|exhausted/);
      await refused(stepping("'a'.repeat(1e9)"), /out of memory/);
      await refused(stepping("new Array(1e8).fill(1)"), /out of memory|longer/);
      await refused(stepping("const f = () => f() + 1; f()"), /stack overflow|exhausted/);
      await refused(returning("(() => { let d = []; for (let i = 0; i < 1e5; i++) d = [d]; return d; })()"), /./);
      await refused(returning("JSON.parse('['.repeat(1e6))"), /./);
      await refused(`{ fault() {}, result() {}, x: ${"(".repeat(100_000)} }`, /./);
    }).timeout(60_000);

    it("end at the limit of a response and of steps", async () => {
      const small = await openOver({ trace, maxResponseSize: 10_000 });
      const to = toData(small.real.deploy(ECHO));
      await small.real.mine();
      const large = { tracer: returning("'a'.repeat(20000)") };
      await assert.rejects(small.call("debug_traceCall", { to }, "latest", large), { code: -32011 });
      const loop = { to: at.LOOP, gas: "0x989680" };
      const counted = await call("debug_traceCall", loop, "latest", { tracer: returning("1") }).catch((error) => error);
      assert.match(counted.message, /at most 2000000 steps/);
    }).timeout(300_000);

    it("reach nothing outside the sandbox, and change nothing for others", async () => {
      const names = ["process", "require", "global", "Buffer", "fetch", "setTimeout", "WebAssembly", "console", "host"];
      const types = `[${names.map((name) => `typeof ${name}`).join(", ")}]`;
      assert.deepEqual(
        await run("call", returning(types)),
        names.map(() => "undefined"),
      );
      const way = "db.constructor.constructor('return typeof process')()";
      assert.equal(await run("call", returning(way)), "undefined");
      await run(
        "call",
        `{ fault() {}, result() {
        Object.prototype.polluted = 1; Array.prototype.push = () => 0; JSON.stringify = () => "[]";
        Uint8Array.prototype.slice = null; globalThis.toHex = () => "0x00"; return { __proto__: null, constructor: 5 };
      } }`,
      );
      assert.equal(({} as Json).polluted, undefined);
      assert.equal(await run("call", returning("typeof ({}).polluted + toHex([1])")), "undefined0x01");
      const own = await run("call", returning(`JSON.parse('{"__proto__": {"x": 1}}')`));
      assert.equal(own.x, undefined);
    });

    it("do not disturb the transaction", async () => {
      const options = { tracer: stepping("db.getBalance(log.contract.getAddress())") };
      await call("debug_traceBlockByNumber", "0x3", options);
      const { gasUsed } = await call("eth_getTransactionReceipt", hash("count"));
      assert.equal(await run("count", returning("ctx.gasUsed")), Number(gasUsed));
    });
  });

  it("run within muxTracer, with others and with configurations", async () => {
    const ops =
      "{ list: [], step(log) { this.list.push([log.op.toString(), log.getCost()]) }, fault() {}, result() { return this.list } }";
    const configured = "{ setup(config) { this.config = config }, fault() {}, result() { return this.config } }";
    const all = await run("count", "muxTracer", { [ops]: {}, callTracer: {}, [configured]: { most: 3 } });
    assert.deepEqual(Object.keys(all), [ops, "callTracer", configured]);
    assert.deepEqual(all[ops], await run("count", ops));
    assert.deepEqual(all.callTracer, await run("count", "callTracer"));
    assert.deepEqual(JSON.parse(all[configured]), { most: 3 });
    const many = Object.fromEntries(["1", "2", "3", "4", "5"].map((result) => [returning(result), {}]));
    await assert.rejects(run("count", "muxTracer", many), { code: -32602, message: /can run 4 tracers in JavaScript/ });
  });

  it("are off unless the node enables them", async () => {
    const other = await openOver();
    const to = toData(other.real.deploy(ECHO));
    await other.real.mine();
    await assert.rejects(other.call("debug_traceCall", { to }, "latest", { tracer: returning("1") }), {
      code: -32602,
      message: "tracers in JavaScript need the setting trace.javascript of the node",
    });
    const tracerConfig = { [returning("1")]: {} };
    await assert.rejects(other.call("debug_traceCall", { to }, "latest", { tracer: "muxTracer", tracerConfig }), {
      code: -32602,
      message: "tracers in JavaScript need the setting trace.javascript of the node",
    });
  });
});
