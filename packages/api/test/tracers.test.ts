import assert from "node:assert/strict";
import { fromHex, toData, toHex, toQuantity } from "@cambium/primitives";
import {
  COUNTER,
  callerOf,
  creationOf,
  ECHO,
  LOGGER,
  LOOP,
  REVERTER,
  REWARDED,
  SENDER,
  SETTER,
} from "@cambium/test-utils/api/real-chain";
import type { Block, Transaction } from "@cambium/types";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const from = toData(SENDER);
const UNKNOWN = `0x${"00".repeat(31)}ff`;
/** Receives all fees before the reward transaction, outside of any transaction (`spec/02 §6.4`). */
const REWARD_CONTRACT = "0x0000000000000000000000000000000001000008";
const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
const DIFF = { tracer: "prestateTracer", tracerConfig: { diffMode: true } };
const PRESTATE = { tracer: "prestateTracer" };

describe("tracers", () => {
  let service: RealApi;
  let block: Block;
  const at: Record<string, string> = {};
  const sent: Record<string, Transaction> = {};
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);
  const hash = (name: string) => toData(sent[name]!.hash);
  const bytes = (data: string) => fromHex(data.slice(2));

  before(async () => {
    service = await openOver();
    const { real } = service;
    for (const [name, code] of Object.entries({ COUNTER, ECHO, LOGGER, LOOP, REVERTER, SETTER })) {
      at[name] = toData(real.deploy(code));
    }
    await real.mine();
    at.caller = toData(real.deploy(callerOf(bytes(at.ECHO!))));
    at.destroyer = toData(real.deploy("33ff", 7n));
    real.send({ to: bytes(at.SETTER!), data: fromHex(word(4) + word(9)) });
    await real.mine();
    sent.transfer = real.send({ to: new Uint8Array(20).fill(0x66), value: 5n, gasLimit: 30_000n });
    sent.count = real.send({ to: bytes(at.COUNTER!) });
    sent.set = real.send({ to: bytes(at.SETTER!), data: fromHex(word(3) + word(8)) });
    sent.clear = real.send({ to: bytes(at.SETTER!), data: fromHex(word(4) + word(0)) });
    sent.call = real.send({ to: bytes(at.caller!), data: fromHex(word(0xbeef)) });
    sent.revert = real.send({ to: bytes(at.REVERTER!) });
    sent.create = real.send({ data: creationOf(COUNTER), value: 3n });
    sent.destroy = real.send({ to: bytes(at.destroyer!) });
    sent.data = real.send({ to: new Uint8Array(20).fill(0x67), data: fromHex("a9059cbb00") });
    block = await real.mine();
  });

  /** An account as other methods show it. */
  async function account(address: string, number: string): Promise<Json> {
    const [balance, nonce, code] = await Promise.all(
      ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"].map((method) => call(method, address, number)),
    );
    return { balance, nonce: Number(nonce), code };
  }

  it("prestateTracer's differences lead from the parent's state to the block's", async () => {
    const traces: { result: { pre: Json; post: Json } }[] = await call("debug_traceBlockByNumber", "0x3", DIFF);
    assert.equal(traces.length, block.transactions.length);
    const touched = new Set(traces.flatMap(({ result }) => Object.keys({ ...result.pre, ...result.post })));
    touched.delete(REWARD_CONTRACT);
    for (const address of touched) {
      const state = await account(address, "0x2");
      const storage: Record<string, string> = {};
      for (const { result } of traces) {
        const { storage: before = {}, ...pre } = result.pre[address] ?? {};
        const { storage: after = {}, ...post } = result.post[address] ?? {};
        for (const [name, value] of Object.entries(pre)) assert.equal(state[name], value, `${address} ${name}`);
        for (const slot of Object.keys(before)) delete storage[slot];
        Object.assign(state, post);
        Object.assign(storage, after);
        const isGone = address in result.pre && !(address in result.post);
        if (isGone) Object.assign(state, { balance: "0x0", nonce: 0, code: "0x" });
      }
      assert.deepEqual(state, await account(address, "0x3"), address);
      for (const [slot, value] of Object.entries(storage)) {
        assert.equal(await call("eth_getStorageAt", address, slot, "0x3"), value);
      }
    }
    assert.equal(touched.size, 7);
  });

  it("prestateTracer shows what was changed, created and destroyed", async () => {
    const diff = (name: string) => call("debug_traceTransaction", hash(name), DIFF);
    const count = await diff("count");
    assert.deepEqual(count.pre[at.COUNTER!].storage, undefined);
    assert.deepEqual(count.post[at.COUNTER!], { storage: { [`0x${word(0)}`]: `0x${word(1)}` } });
    assert.equal(count.pre[at.COUNTER!].code, `0x${COUNTER}`);
    assert.equal(count.post[from].nonce, count.pre[from].nonce + 1);
    const clear = await diff("clear");
    assert.deepEqual(clear.pre[at.SETTER!].storage, { [`0x${word(4)}`]: `0x${word(9)}` });
    assert.deepEqual(clear.post[at.SETTER!], {});
    const created = toData(sent.create!.createdAddress!);
    const create = await diff("create");
    assert.equal(create.pre[created], undefined);
    assert.deepEqual(create.post[created], { balance: "0x3", code: `0x${COUNTER}` });
    const destroy = await diff("destroy");
    assert.equal(destroy.pre[at.destroyer!].balance, "0x7");
    assert.equal(destroy.post[at.destroyer!], undefined);
    const revert = await diff("revert");
    assert.deepEqual(Object.keys(revert.post), [from]);
  });

  it("prestateTracer shows touched accounts as they were before", async () => {
    const accounts = await call("debug_traceTransaction", hash("call"), PRESTATE);
    assert.deepEqual(Object.keys(accounts).sort(), [at.ECHO!, at.caller!, from].sort());
    assert.deepEqual(accounts[at.ECHO!], { balance: "0x0", code: `0x${ECHO}` });
    const read = await call("debug_traceTransaction", hash("count"), PRESTATE);
    assert.deepEqual(read[at.COUNTER!].storage, { [`0x${word(0)}`]: `0x${word(0)}` });
    const bare = { ...PRESTATE, tracerConfig: { disableCode: true, disableStorage: true } };
    assert.deepEqual((await call("debug_traceTransaction", hash("count"), bare))[at.COUNTER!], { balance: "0x0" });
    const nowhere = `0x${"66".repeat(20)}`;
    assert.equal((await call("debug_traceTransaction", hash("transfer"), PRESTATE))[nowhere], undefined);
    const all = { ...PRESTATE, tracerConfig: { includeEmpty: true } };
    assert.deepEqual((await call("debug_traceTransaction", hash("transfer"), all))[nowhere], { balance: "0x0" });
  });

  it("4byteTracer counts selectors", async () => {
    const count = (name: string) => call("debug_traceTransaction", hash(name), { tracer: "4byteTracer" });
    assert.deepEqual(await count("call"), { "0x00000000-28": 2 });
    assert.deepEqual(await count("data"), { "0xa9059cbb-1": 1 });
    assert.deepEqual(await count("create"), {});
    const identity = { from, to: "0x0000000000000000000000000000000000000004", data: `0x${word(1)}` };
    assert.deepEqual(await call("debug_traceCall", identity, "latest", { tracer: "4byteTracer" }), {});
  });

  it("trace_replayTransaction's traces and differences are those of other methods", async () => {
    const all = await call("trace_replayBlockTransactions", "0x3", ["trace", "stateDiff"]);
    assert.equal(all.length, block.transactions.length);
    for (const [i, { hash }] of block.transactions.entries()) {
      const { transactionHash, ...results } = all[i];
      assert.equal(transactionHash, toData(hash));
      assert.deepEqual(results, await call("trace_replayTransaction", toData(hash), ["stateDiff", "trace"]));
      const placed: Json[] = await call("trace_transaction", toData(hash));
      const unplaced = placed.map(
        ({ blockHash: _, blockNumber: __, transactionHash: ___, transactionPosition: ____, ...trace }) => trace,
      );
      assert.deepEqual(results.trace, unplaced);
      const diff = await call("debug_traceTransaction", toData(hash), DIFF);
      assert.deepEqual(membersOf(results.stateDiff), membersOfDiff(diff), toData(hash));
      assert.equal(results.vmTrace, null);
    }
    const echoed = await call("trace_replayTransaction", hash("call"), []);
    assert.deepEqual(echoed, { output: `0x${word(0xbeef)}`, stateDiff: null, trace: [], vmTrace: null });
  });

  it("stateDiff says what is new, changed and gone", async () => {
    const diff = async (name: string) => (await call("trace_replayTransaction", hash(name), ["stateDiff"])).stateDiff;
    const created = toData(sent.create!.createdAddress!);
    assert.deepEqual((await diff("create"))[created], {
      balance: { "+": "0x3" },
      nonce: { "+": "0x0" },
      code: { "+": `0x${COUNTER}` },
      storage: {},
    });
    assert.deepEqual((await diff("destroy"))[at.destroyer!], {
      balance: { "-": "0x7" },
      nonce: { "-": "0x0" },
      code: { "-": "0x33ff" },
      storage: {},
    });
    assert.deepEqual((await diff("clear"))[at.SETTER!], {
      balance: "=",
      nonce: "=",
      code: "=",
      storage: { [`0x${word(4)}`]: { "*": { from: `0x${word(9)}`, to: `0x${word(0)}` } } },
    });
  });

  const refused = (method: string, params: unknown[], code: number, message: RegExp) =>
    assert.rejects(call(method, ...params), (error: Json) => {
      assert.equal(error.code, code, method);
      assert.match(error.message, message);
      return true;
    });

  it("debug_traceCall and trace_call do what a transaction does", async () => {
    const { real } = service;
    const transaction = real.send({ to: bytes(at.caller!), data: fromHex(word(0xabcd)) });
    const mined = await real.mine();
    const parent = toQuantity(mined.number - 1);
    const request = {
      from,
      to: at.caller,
      data: toData(transaction.data),
      gas: toQuantity(transaction.gasLimit),
      gasPrice: toQuantity(transaction.gasPrice),
    };
    const transactionHash = toData(transaction.hash);
    for (const options of [{}, { tracer: "callTracer", withLog: true }, PRESTATE, DIFF, { tracer: "4byteTracer" }]) {
      const traced = await call("debug_traceCall", request, parent, options);
      assert.deepEqual(traced, await call("debug_traceTransaction", transactionHash, options), JSON.stringify(options));
    }
    const types = ["trace", "stateDiff"];
    const traced = await call("trace_call", request, types, parent);
    assert.deepEqual(traced, await call("trace_replayTransaction", transactionHash, types));
    assert.equal(traced.output, await call("eth_call", request, parent));
    const raw = await call("eth_getRawTransactionByBlockNumberAndIndex", "latest", "0x0");
    const { trace: executed } = await call("trace_rawTransaction", raw, ["trace"]);
    assert.deepEqual([executed[0].action.from, executed[0].traceAddress], [from, []]);
    const creation = { from, data: toData(creationOf(ECHO)) };
    const [created] = (await call("trace_call", creation, ["trace"])).trace;
    assert.equal(created.result.code, `0x${ECHO}`);
  });

  it("debug_traceCall follows the rules of Ethereum if it is asked to", async () => {
    const to = `0x${"12".repeat(20)}`;
    // SLOAD, PUSH0.
    const stateOverrides = { [to]: { code: "0x6001545f00" } };
    const trace = (rules?: string) =>
      call("debug_traceCall", { to, gas: "0xc350" }, "latest", { stateOverrides, rules });
    const here = await trace();
    assert.deepEqual([here.failed, here.gas], [false, 21_000 + 3 + 200 + 2]);
    const berlin = await trace("ethereum/berlin");
    const { error } = berlin.structLogs.at(-1);
    assert.deepEqual([berlin.failed, berlin.gas, error], [true, 50_000, "invalid opcode"]);
    const prague = await trace("ethereum/Prague");
    assert.deepEqual([prague.failed, prague.gas], [false, 21_000 + 3 + 2_100 + 2]);
    assert.deepEqual(
      prague.structLogs.map(({ op, gasCost, depth }: Json) => [op, gasCost, depth]),
      here.structLogs.map(({ op, gasCost, depth }: Json) => [op, op === "SLOAD" ? 2_100 : gasCost, depth]),
    );
    await refused(
      "debug_traceCall",
      [{ to }, "latest", { rules: "ethereum/moon" }],
      -32602,
      /one of homestead, .*prague/,
    );
    const callTracer = { rules: "ethereum/prague", tracer: "callTracer" };
    await refused("debug_traceCall", [{ to }, "latest", callTracer], -32602, /only the default tracer/);
    const little = [{ to, gas: "0x5207" }, "latest", { rules: "ethereum/prague" }];
    await refused("debug_traceCall", little, -32000, /Ethereum would not execute it: gas limit 20999/);
  });

  it("refuses a position in the block, which debug_traceCallMany has", async () => {
    const to = `0x${"11".repeat(20)}`;
    await refused("debug_traceCall", [{ to }, "latest", { txIndex: "0x1" }], -32602, /debug_traceCallMany/);
  });

  it("debug_traceCall and eth_call override accounts and the block", async () => {
    const to = `0x${"12".repeat(20)}`;
    // Returns number, timestamp, coinbase, difficulty and gas limit of the block.
    const code = "0x436000524260205241604052446060524560805260a06000f3";
    const blockOverrides = {
      number: "0x64",
      time: "0x65",
      feeRecipient: toData(REWARDED),
      difficulty: "0x66",
      gasLimit: "0x67",
    };
    const options = { tracer: "callTracer", stateOverrides: { [to]: { code } }, blockOverrides };
    const { output } = await call("debug_traceCall", { to }, "latest", options);
    const values = [0x64n, 0x65n, BigInt(`0x${toHex(REWARDED)}`), 0x66n, 0x67n];
    assert.equal(output, `0x${values.map(word).join("")}`);
    assert.equal(await call("eth_call", { to }, "latest", { [to]: { code } }, blockOverrides), output);
    // go-ethereum's client begins names with capital letters.
    const { tracer: Tracer, stateOverrides: StateOverrides } = options;
    const capitals = { Tracer, StateOverrides, BlockOverrides: blockOverrides, Timeout: null };
    assert.equal((await call("debug_traceCall", { to }, "latest", capitals)).output, output);
    const plain = { ...options, blockOverrides: undefined };
    assert.equal((await call("debug_traceCall", { to }, "0x3", plain)).output.slice(2, 66), word(3));
  });

  it("refuse unknown tracers, types and blocks, and calls that cannot start", async () => {
    const to = at.ECHO;
    await refused("trace_replayTransaction", [hash("call"), ["steps"]], -32602, /Invalid trace type/);
    await refused("trace_call", [{ to }, "trace"], -32602, /./);
    await refused("debug_traceCall", [{ to }, "latest", { tracer: "otherTracer" }], -32602, /Invalid tracer type/);
    await refused(
      "debug_traceCall",
      [{ to }, "latest", { blockOverrides: { prevRandao: UNKNOWN } }],
      -32602,
      /prevRandao/,
    );
    await refused("debug_traceCall", [{ to }, UNKNOWN], -32600, /not found/);
    const reward = await call("eth_getRawTransactionByBlockNumberAndIndex", "latest", "0x1");
    await refused("trace_rawTransaction", [reward, ["trace"]], -32602, /Invalid input/);
    await refused("trace_rawTransaction", ["0x00", ["trace"]], -32602, /Invalid input/);
    await refused("trace_call", [{ to }, ["trace"], "0x99"], -32600, /not found/);
    await refused("trace_call", [{ to, gas: "0x5207" }, ["trace"]], -32000, /intrinsic gas too low/);
    const poor = `0x${"77".repeat(20)}`;
    await refused("debug_traceCall", [{ from: poor, to, value: "0x1" }], -32000, /insufficient funds for transfer/);
    await refused("debug_traceCall", [{ from: poor, to, gasPrice: "0x1" }], -32000, /insufficient funds for gas/);
    // A call without a sender needs no funds, and zero gas means no limit.
    const anonymous = await call("debug_traceCall", { to, value: "0x1", gasPrice: "0x1", gas: "0x0" });
    assert.equal(anonymous.failed, false);
    await refused("trace_replayBlockTransactions", ["pending", []], -32201, /./);
    assert.equal(await call("trace_replayTransaction", UNKNOWN, ["trace"]), null);
    assert.equal(await call("trace_replayBlockTransactions", UNKNOWN, ["trace"]), null);
    assert.deepEqual(await call("trace_replayBlockTransactions", "0x0", ["trace"]), []);
  });

  it("stop at the limit of a response", async () => {
    const small = await openOver({ maxResponseSize: 1_000 });
    const to = toData(small.real.deploy(COUNTER));
    await small.real.mine();
    // Reads 20 cells.
    const reads = `0x${Array.from({ length: 20 }, (_, i) => `60${word(i).slice(-2)}5450`).join("")}00`;
    const overrides = { stateOverrides: { [to]: { code: reads } } };
    for (const options of [PRESTATE, {}]) {
      await assert.rejects(small.call("debug_traceCall", { to }, "latest", { ...options, ...overrides }), {
        code: -32011,
      });
    }
  });
});

/** Old and new value of each changed member, by account. */
type Members = Record<string, Record<string, [unknown, unknown]>>;

function membersOf(stateDiff: Json): Members {
  const accounts = Object.entries(stateDiff as Record<string, Json>);
  return Object.fromEntries(
    accounts.map(([address, { storage, ...own }]) => {
      const all = { ...own, ...storage };
      return [address, changesOf(Object.entries(all).map(([name, delta]) => [name, fromTo(delta)]))];
    }),
  );
}

function fromTo(delta: Json): [string, string] {
  if (delta === "=") return ["", ""];
  if ("*" in delta) return [delta["*"].from, delta["*"].to];
  return [delta["-"] ?? "", delta["+"] ?? ""];
}

function membersOfDiff({ pre, post }: { pre: Json; post: Json }): Members {
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])];
  return Object.fromEntries(
    addresses.map((address) => {
      const [before, after] = [flat(pre[address]), flat(post[address])];
      const isGone = post[address] === undefined;
      const names = [...new Set([...(isGone ? Object.keys(before) : []), ...Object.keys(after), ...slotsOf(before)])];
      return [address, changesOf(names.map((name) => [name, [before[name] ?? "", after[name] ?? ""]]))];
    }),
  );
}

const slotsOf = (members: Record<string, string>) => Object.keys(members).filter((name) => name.startsWith("0x"));

function flat(account: Json): Record<string, string> {
  if (account === undefined) return {};
  const { storage = {}, nonce, ...own } = account;
  return { ...own, ...(nonce === undefined ? {} : { nonce: toQuantity(nonce) }), ...storage };
}

/** Removes changes from nothing to nothing: one of the forms omits such members. */
function changesOf(list: [string, [string, string]][]): Record<string, [string, string]> {
  const plain = (value: string) => (/^(0x0*)?$/.test(value) ? "" : value);
  const changes = list.map(([name, [a, b]]) => [name, [plain(a), plain(b)]] as [string, [string, string]]);
  return Object.fromEntries(changes.filter(([, [a, b]]) => a !== b));
}
