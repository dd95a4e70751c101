import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { type Chain, createChainEvm, executeBlock, localBlock } from "@cambium/chain";
import { fromHex, keccak256, toData, toHex, toQuantity } from "@cambium/primitives";
import { JournaledState, packChanges } from "@cambium/state";
import {
  COUNTER,
  callerOf,
  ECHO,
  LOGGER,
  LOOP,
  REVERTER,
  RealChain,
  SENDER,
  SETTER,
} from "@cambium/test-utils/api/real-chain";
import { encodeReceipt, type Transaction } from "@cambium/types";
import type { ApiConfig } from "../src/config.js";
import { METHODS } from "../src/index.js";
import { apiOver, ask, type Json, type Service } from "./support/service.js";

const from = toData(SENDER);
const word = (value: number) => value.toString(16).padStart(64, "0");

describe("methods that execute", () => {
  let real: RealChain;
  let service: Service;
  const at: Record<string, string> = {};
  const sent: Record<string, Transaction> = {};
  const hash = (name: string) => toData(sent[name]!.hash);

  before(async () => {
    real = await RealChain.open();
    const contracts = { COUNTER, ECHO, LOGGER, LOOP, REVERTER, SETTER };
    for (const [name, code] of Object.entries(contracts)) at[name] = toData(real.deploy(code));
    await real.mine();
    at.caller = toData(real.deploy(callerOf(fromHex(at.ECHO!.slice(2)))));
    at.payer = toData(real.deploy(callerOf(fromHex("77".repeat(20)), true), 1000n));
    at.creator = toData(real.deploy(CREATOR));
    at.destroyer = toData(real.deploy("33ff", 7n));
    await real.mine();
    sent.transfer = real.send({ to: fromHex("66".repeat(20)), value: 5n, gasLimit: 30_000n });
    sent.count = real.send({ to: fromHex(at.COUNTER!.slice(2)) });
    sent.call = real.send({ to: fromHex(at.caller!.slice(2)), data: fromHex(word(0xbeef)) });
    sent.log = real.send({ to: fromHex(at.LOGGER!.slice(2)) });
    sent.revert = real.send({ to: fromHex(at.REVERTER!.slice(2)) });
    sent.loop = real.send({ to: fromHex(at.LOOP!.slice(2)), gasLimit: 50_000n });
    sent.create = real.send({ to: fromHex(at.creator!.slice(2)) });
    sent.destroy = real.send({ to: fromHex(at.destroyer!.slice(2)) });
    await real.mine();
    const fake = { reader: () => real.chain };
    service = apiOver(fake);
  });

  const call = (method: string, ...params: unknown[]) => ask(service, method, ...params);

  /** Sends a request to a node that behaves as the deployed client. */
  function callDeployed(method: string, ...params: unknown[]): Promise<Json> {
    return ask(apiOver({ reader: () => real.chain }, { compatibility: "deployed" }), method, ...params);
  }

  describe("eth_estimateGas", () => {
    it("returns the result of the network's formula", async () => {
      assert.equal(await call("eth_estimateGas", { from, to: `0x${"55".repeat(20)}` }), "0x5208");
      const plain = Number(await call("eth_estimateGas", { from, to: at.COUNTER }));
      assert.ok(plain > 21_000 && plain < 50_000);
      // The stipend is added if a call transfers value.
      const paying = Number(await call("eth_estimateGas", { from, to: at.payer }));
      assert.ok(paying > 21_000 + 9_000 + 2_300, String(paying));
      assert.equal(await call("eth_estimateGas", { from, data: "0x" }), await call("eth_estimateGas", { from }));
    });

    it("returns a sufficient gas limit", async () => {
      for (const to of [at.COUNTER, at.caller, at.payer, at.LOGGER]) {
        const gas = await call("eth_estimateGas", { from, to });
        await call("eth_call", { from, to, gas });
      }
    });

    it("counts the gas given to a call of the bridge, unless it is all that is left, as the deployed client does", async () => {
      const fake = { reader: () => real.chain };
      const under = (compatibility: ApiConfig["compatibility"], own: Partial<ApiConfig> = {}) => {
        const config = { compatibility, ...own };
        return apiOver(fake, config, { pendingGasLimit: () => 3_000_000 });
      };
      // CALL, DELEGATECALL, CALLCODE and STATICCALL with 6 000 000 gas; the bridge refuses all but the first.
      for (const opcode of ["f1", "f4", "f2", "fa"]) {
        const data = `0x5f600060006000600073${"01000006".padStart(40, "0")}63005b8d80${opcode}`;
        const estimate = (service: Service, members: object = {}) =>
          ask(service, "eth_estimateGas", { from, data, ...members });
        assert.equal(await estimate(under("specification")), "0x12ce0", opcode);
        assert.equal(await estimate(under("deployed")), "0x5c6088", opcode);
        assert.equal(await estimate(under("deployed", { gasEstimationCap: 3_000_000 })), "0x12ce0", opcode);
        // The deployed client ignores the gas that the caller names since its release 9.0.4.
        for (const gas of ["0x1", "0x12ce0", "0x2dc6c0", "0x6acfc0"]) {
          assert.equal(await estimate(under("deployed"), { gas }), "0x5c6088", `${opcode} with ${gas}`);
        }
      }
    });

    it("does not count the gas of a rejected code deposit, as the deployed client does not", async () => {
      const fake = { reader: () => real.chain };
      const deployed = (gasEstimationCap = 0) => {
        return apiOver(fake, { compatibility: "deployed", gasEstimationCap });
      };
      const calling = (gas: string) => `6000600060006000600073${"01000006".padStart(40, "0")}${gas}f150`;
      const refused = "60ef60005360016000f3";
      const estimates: [estimate: string, members: object, cap?: number][] = [
        // Refused prefix, too little gas, too long, and calls with all the gas and with some.
        ["0xcfa4", { data: `0x${refused}` }],
        ["0xd16b", { data: "0x6113886000f3" }, 200_000],
        ["0xdcea", { data: "0x6160016000f3" }, 6_000_000],
        ["0x12d5c", { data: `0x${calling("5a")}${refused}` }],
        ["0x25a41", { data: `0x${calling("620186a0")}${refused}` }],
      ];
      for (const [gas, members, cap] of estimates) {
        assert.equal(await ask(deployed(cap), "eth_estimateGas", { from, ...members }), gas, JSON.stringify(members));
        const limited = cap === undefined ? members : { ...members, gas: toQuantity(cap) };
        await assert.rejects(call("eth_estimateGas", { from, ...limited }), { code: -32000 });
      }
    });

    it("needs no funds under the deployed client's rules", async () => {
      const fake = { reader: () => real.chain };
      const deployed = apiOver(fake, { compatibility: "deployed" });
      const unfunded = `0x${"11".repeat(20)}`;
      const transfer = { from: unfunded, to: unfunded, value: "0x1", gasPrice: "0x5" };
      assert.equal(await ask(deployed, "eth_estimateGas", transfer), "0x5208");
      assert.equal(await ask(deployed, "eth_call", transfer), "0x");
      // Stores its caller's balance, which the transfer has made negative.
      assert.equal(
        await ask(deployed, "eth_estimateGas", { ...transfer, to: null, data: "0x333160005500" }),
        "0x11f07",
      );
    });

    it("reports why a transaction cannot be executed", async () => {
      const estimate = (members: object) => call("eth_estimateGas", { from, ...members });
      const unfunded = `0x${"11".repeat(20)}`;
      const refusals: [object, number, string | RegExp][] = [
        [{ from: unfunded, to: unfunded, value: "0x1" }, -32000, "insufficient funds for transfer"],
        [{ from: unfunded, to: unfunded, gasPrice: "0x1" }, -32000, "gas required exceeds allowance (0)"],
        [{ to: at.LOOP }, -32000, /^gas required exceeds allowance \(\d+\)$/],
        [{ to: at.LOOP, gas: "0x10000" }, -32000, "gas required exceeds allowance (65536)"],
        [
          { to: at.REVERTER },
          -32015,
          "VM Exception while processing transaction: transaction reverted (execution reverted)",
        ],
        [{ data: "0xfe" }, -32000, "invalid opcode"],
      ];
      for (const [members, code, message] of refusals) {
        await assert.rejects(estimate(members), (error: Json) => {
          assert.equal(error.code, code, JSON.stringify(members));
          if (typeof message === "string") assert.equal(error.message, message);
          else assert.match(error.message, message);
          return true;
        });
      }
    });
  });

  describe("state overrides", () => {
    const overridden = (overrides: object, members: object = {}) =>
      call("eth_call", { from, to: at.ECHO, ...members }, "latest", overrides);

    it("replace code, balance, nonce and cells for one call only", async () => {
      const code = "0x6103e760005260206000f3";
      assert.equal(await overridden({ [at.ECHO!]: { code } }), `0x${word(999)}`);
      const poor = `0x${"22".repeat(20)}`;
      assert.equal(await overridden({ [poor]: { balance: "0x64" } }, { from: poor, value: "0x64" }), `0x${word(0)}`);
      const readCell = "0x60005460005260206000f3";
      assert.equal(await overridden({ [at.COUNTER!]: { code: readCell } }, { to: at.COUNTER }), `0x${word(1)}`);
      for (const member of ["state", "stateDiff"]) {
        const cells = { code: readCell, [member]: { "0x00": "0x05" } };
        assert.equal(await overridden({ [at.COUNTER!]: cells }, { to: at.COUNTER }), `0x${word(5)}`);
      }
      const others = { code: readCell, state: { "0x01": "0x05" } };
      assert.equal(await overridden({ [at.COUNTER!]: others }, { to: at.COUNTER }), `0x${word(0)}`);
      const more = { code: readCell, stateDiff: { "0x01": "0x05" }, nonce: "0x7" };
      assert.equal(await overridden({ [at.COUNTER!]: more }, { to: at.COUNTER }), `0x${word(1)}`);
      assert.equal(await overridden({}), `0x${word(0)}`);
    });

    it("work for estimates", async () => {
      const gas = await ask(service, "eth_estimateGas", { from, to: at.REVERTER }, "latest", {
        [at.REVERTER!]: { code: "0x00" },
      });
      assert.equal(gas, "0x5208");
    });

    it("are rejected if contradictory or malformed", async () => {
      const cases: [object, string][] = [
        [
          { "0x0000000000000000000000000000000000000001": { balance: "0x1" } },
          "Precompiled contracts can not be overridden",
        ],
        [{ "0x0000000000000000000000000000000001000006": {} }, "Precompiled contracts can not be overridden"],
        [{ [from]: { state: {}, stateDiff: {} } }, "'state' and 'stateDiff' cannot be set at the same time"],
        [{ [from]: { movePrecompileToAddress: from } }, "Move precompile to address is not supported yet"],
        [{ "0x12": {} }, "Invalid address: null, empty or invalid hex value."],
        [{ [from]: { balance: "12" } }, "Invalid param 12: value must be a valid hex."],
        [{ [from]: { nonce: `0x${"1".repeat(17)}` } }, "Invalid param 0x11111111111111111: value must be a valid hex."],
        [{ [from]: { state: { "0x0": `0x${"11".repeat(33)}` } } }, "Invalid data format: more than 32 bytes."],
        [{ [from]: 5 }, "Invalid input"],
      ];
      for (const [overrides, message] of cases) {
        await assert.rejects(overridden(overrides), { code: -32602, message });
      }
    });
  });

  describe("calls on the pending block", () => {
    /** Returns a client of a chain whose third block is pending. */
    const behind = async (maxBytes = Number.POSITIVE_INFINITY) => {
      const stateChanges = changesOf(real.chain, 3, maxBytes);
      const { chain } = await RealChain.open();
      for (const number of [1, 2]) await chain.import(localBlock(real.chain.blockByNumber(number)!));
      const fake = { reader: () => chain };
      const block = real.chain.blockByNumber(3)!;
      const pendingBlock = async () => ({ block, stateChanges });
      const pendingGasLimit = () => Number(block.header.gasLimitValue);
      return apiOver(fake, {}, { pendingBlock, pendingGasLimit });
    };
    /** Returns cell 0, number, time and coinbase of the block, hash of its parent, and its own balance. */
    const READER = "6000546000524360205242604052416060526001430340608052303160a05260c06000f3";

    it("return the same as once it is mined", async () => {
      const pending = await behind();
      for (const to of [at.COUNTER!, at.payer!, at.creator!, at.destroyer!, `0x${"66".repeat(20)}`]) {
        const overrides = { [to]: { code: `0x${READER}` } };
        const mined = await call("eth_call", { from, to }, "0x3", overrides);
        assert.equal(await ask(pending, "eth_call", { from, to }, "pending", overrides), mined);
        assert.notEqual(await ask(pending, "eth_call", { from, to }, "latest", overrides), mined);
        const estimate = await call("eth_estimateGas", { from, to }, "0x3");
        assert.equal(await ask(pending, "eth_estimateGas", { from, to }, "pending"), estimate);
      }
    });

    it("are traced and simulated the same as once it is mined", async () => {
      const pending = await behind();
      for (const to of [at.COUNTER!, at.payer!, at.creator!]) {
        const requests: [string, (block: string) => unknown[]][] = [
          ["debug_traceCall", (block) => [{ from, to }, block, { tracer: "prestateTracer" }]],
          ["trace_call", (block) => [{ from, to }, ["trace", "stateDiff"], block]],
          ["eth_createAccessList", (block) => [{ from, to }, block]],
        ];
        for (const [method, params] of requests) {
          const mined = await call(method, ...params("0x3"));
          assert.deepEqual(await ask(pending, method, ...params("pending")), mined, method);
        }
        const one = { from, to, gas: "0x30d40" };
        const payload = {
          blockStateCalls: [
            {
              calls: [one, one],
            },
          ],
        };
        const [mined] = await call("eth_simulateV1", payload, "0x3");
        const [simulated] = await ask(pending, "eth_simulateV1", payload, "pending");
        assert.deepEqual([simulated.hash, simulated.calls], [mined.hash, mined.calls]);
      }
    });

    it("execute none of its transactions", async () => {
      const pending = await behind();
      const atPending = await executionsDuring(() => ask(pending, "eth_call", { from, to: at.COUNTER }, "pending"));
      const atLatest = await executionsDuring(() => ask(pending, "eth_call", { from, to: at.COUNTER }, "latest"));
      assert.equal(atPending, atLatest);
    });

    it("are refused if its state is too large to be sent", async () => {
      const pending = await behind(0);
      const refusal = { code: -32011, message: "The pending block changes too much state for calls on it" };
      await assert.rejects(ask(pending, "eth_call", { from, to: at.COUNTER }, "pending"), refusal);
      await assert.rejects(ask(pending, "eth_estimateGas", { from, to: at.COUNTER }, "pending"), refusal);
      assert.deepEqual(await ask(pending, "trace_block", "pending"), await call("trace_block", "0x3"));
    });
  });

  describe("debug", () => {
    it("lists every step as the deployed client does", async () => {
      const trace = await callDeployed("debug_traceTransaction", hash("count"));
      assert.equal(trace.structLogs.map((step: Json) => step.op).join(" "), COUNTER_STEPS);
      const [first] = trace.structLogs;
      assert.deepEqual(first, {
        op: "PUSH1",
        depth: 0,
        pc: 0,
        gas: 2_000_000 - 21_000,
        gasCost: 3,
        memory: [],
        stack: [],
        storage: {},
      });
      const last = trace.structLogs.at(-1);
      assert.deepEqual(last.storage, { [word(0)]: word(1) });
      assert.equal(trace.contractAddress, at.COUNTER!.slice(2));
      assert.deepEqual([trace.failed, trace.reverted, trace.error, trace.returnValue], [false, false, "", "0x"]);
      assert.equal(trace.gas, Number((await call("eth_getTransactionReceipt", hash("count"))).gasUsed));
    });

    it("omits disabled fields in `deployed`", async () => {
      const options = { disableMemory: true, disableStack: "true", tracerConfig: { disableStorage: true } };
      const { structLogs } = await callDeployed("debug_traceTransaction", hash("count"), options);
      assert.deepEqual(Object.keys(structLogs[0]), ["op", "depth", "pc", "gas", "gasCost"]);
    });

    it("lists steps of calls and constructors, and none for transfers, in `deployed`", async () => {
      const depths = async (name: string) => {
        const { structLogs } = await callDeployed("debug_traceTransaction", hash(name));
        return Math.max(...structLogs.map((step: Json) => step.depth));
      };
      assert.equal(await depths("call"), 1);
      assert.equal(await depths("create"), 1);
      const transfer = await callDeployed("debug_traceTransaction", hash("transfer"));
      assert.deepEqual([transfer.structLogs, transfer.gas, transfer.contractAddress], [[], 21_000, "66".repeat(20)]);
      const loop = await callDeployed("debug_traceTransaction", hash("loop"));
      assert.deepEqual([loop.failed, loop.error], [true, "out of gas"]);
    });

    it("callTracer returns calls, logs and failures", async () => {
      const trace = (name: string, config: object = {}) =>
        call("debug_traceTransaction", hash(name), { tracer: "callTracer", tracerConfig: config });
      const nested = await trace("call");
      assert.equal(nested.type, "CALL");
      assert.equal(nested.output, `0x${word(0xbeef)}`);
      assert.equal(nested.calls[0].to, at.ECHO);
      assert.equal(nested.calls[0].input, `0x${word(0xbeef)}`);
      assert.equal((await trace("call", { onlyTopCall: true })).calls, undefined);
      assert.deepEqual((await trace("log", { withLog: true })).logs, [
        { address: at.LOGGER, topics: [`0x${word(0x42)}`], data: "0x", index: "0x0", position: "0x0" },
      ]);
      const deployed = await callDeployed("debug_traceTransaction", hash("log"), {
        tracer: "callTracer",
        withLog: true,
      });
      assert.deepEqual(deployed.logs, [{ index: 0, address: at.LOGGER, topics: [`0x${word(0x42)}`], data: "0x" }]);
      assert.equal((await trace("log")).logs, undefined);
      assert.equal((await trace("revert")).error, "execution reverted");
      assert.equal((await trace("loop")).error, "out of gas");
      const create = (await trace("create")).calls[0];
      assert.deepEqual([create.type, create.error], ["CREATE", "invalid opcode: INVALID"]);
      const destroyed = (await trace("destroy")).calls[0];
      assert.deepEqual([destroyed.type, destroyed.to, destroyed.value], ["SELFDESTRUCT", from, "0x7"]);
      assert.deepEqual([(await trace("transfer")).gas, (await trace("transfer")).gasUsed], ["0x7530", "0x5208"]);
    });

    it("shows no output of a creation whose code is refused", async () => {
      const other = await RealChain.open();
      // Returns a byte 0xEF as code (RSKIP-544).
      const transaction = toData(other.send({ data: fromHex("60ef60005360016000f3") }).hash);
      await other.mine();
      const fake = { reader: () => other.chain };
      const trace = (options: object, compatibility?: ApiConfig["compatibility"]) =>
        ask(apiOver(fake, { compatibility }), "debug_traceTransaction", transaction, options);
      const own = await trace({});
      assert.deepEqual([own.returnValue, own.failed], ["0x", true]);
      const steps = await trace({}, "deployed");
      assert.deepEqual([steps.result, steps.returnValue, steps.error], ["", "0x", "contract code rejected"]);
      const top = await trace({ tracer: "callTracer" });
      assert.deepEqual([top.output, top.error], ["0x", "invalid code: must not begin with 0xef"]);
    });

    it("traces whole blocks", async () => {
      const block = await call("eth_getBlockByNumber", "0x3");
      for (const tracer of ["callTracer", "rskTracer", "STRUCTTRACER"]) {
        const traces = await call("debug_traceBlockByNumber", "0x3", { tracer, disableStack: true });
        assert.deepEqual(
          traces.map((trace: Json) => trace.txHash),
          block.transactions,
        );
        assert.deepEqual(await call("debug_traceBlockByHash", block.hash, { tracer, disableStack: true }), traces);
        const alone = await call("debug_traceTransaction", hash("call"), { tracer, disableStack: true });
        assert.deepEqual(traces[block.transactions.indexOf(hash("call"))].result, alone);
      }
      assert.deepEqual(await call("debug_traceBlockByNumber", "earliest"), []);
    });

    it("returns null for unknown objects and rejects unknown tracers", async () => {
      const unknown = `0x${"ab".repeat(32)}`;
      for (const method of ["debug_traceTransaction", "debug_traceBlockByHash"]) {
        assert.equal(await call(method, unknown), null);
        assert.equal(await call(method, unknown, { tracer: "callTracer" }), null);
      }
      assert.equal(await call("debug_traceBlockByNumber", "0x999"), null);
      await assert.rejects(call("debug_traceTransaction", unknown, { tracer: "x" }), {
        code: -32602,
        message: "Invalid tracer type: x",
      });
      assert.equal(await call("debug_wireProtocolQueueSize"), "0x0");
    });

    it("stops when the response becomes too large", async () => {
      const fake = { reader: () => real.chain };
      const small = apiOver(fake, { maxResponseSize: 20_000 });
      await assert.rejects(ask(small, "debug_traceTransaction", hash("loop")), {
        code: -32011,
        message: "Response size limit of 20000 bytes exceeded",
      });
    });
  });

  describe("trace", () => {
    it("lists the traces of a transaction, parents first", async () => {
      const traces = await call("trace_transaction", hash("call"));
      assert.deepEqual(
        traces.map((trace: Json) => [trace.type, trace.traceAddress, trace.subtraces]),
        [
          ["call", [], 1],
          ["call", [0], 0],
        ],
      );
      assert.equal(traces[1].action.input, `0x${word(0xbeef)}`);
      assert.equal(traces[0].result.output, `0x${word(0xbeef)}`);
      for (const [i, trace] of traces.entries()) {
        assert.deepEqual(await call("trace_get", hash("call"), [`0x${i}`]), trace);
      }
      assert.equal(await call("trace_get", hash("call"), ["0x5"]), null);
      assert.equal(await call("trace_transaction", `0x${"ab".repeat(32)}`), null);
    });

    it("lists creations, self-destructs and failures", async () => {
      const [top, created] = await call("trace_transaction", hash("create"));
      assert.deepEqual(
        [top.subtraces, created.type, created.error, created.result],
        [1, "create", "invalid opcode", null],
      );
      const [, suicide] = await call("trace_transaction", hash("destroy"));
      assert.deepEqual(suicide.action, { address: at.destroyer, refundAddress: from, balance: "0x7" });
      const [reverted] = await call("trace_transaction", hash("revert"));
      assert.deepEqual([reverted.error, reverted.result], ["Reverted", null]);
      const [transfer] = await call("trace_transaction", hash("transfer"));
      assert.equal(transfer.action.gas, "0x2328");
    });

    it("lists the traces of a block's transactions, the reward transaction last", async () => {
      const block = await call("eth_getBlockByNumber", "0x3");
      const traces = await call("trace_block", "0x3");
      assert.deepEqual(await call("trace_block", block.hash), traces);
      assert.equal(traces.at(-1).transactionHash, block.transactions.at(-1));
      assert.equal(traces.at(-1).action.from, `0x${"00".repeat(20)}`);
      assert.deepEqual(await call("trace_block", "earliest"), []);
      assert.equal(await call("trace_block", "0x99"), null);
    });

    it("traces the pending block as if it were mined", async () => {
      const { chain } = await RealChain.open();
      for (const number of [1, 2]) await chain.import(localBlock(real.chain.blockByNumber(number)!));
      const fake = { reader: () => chain };
      const pendingBlock = async () => ({ block: real.chain.blockByNumber(3)!, stateChanges: undefined });
      const behind = apiOver(fake, {}, { pendingBlock });
      assert.deepEqual(await ask(behind, "trace_block", "pending"), await call("trace_block", "0x3"));
      assert.deepEqual(await ask(behind, "trace_block", "latest"), await call("trace_block", "0x2"));
      assert.deepEqual(await call("trace_block", "pending"), await call("trace_block", "latest"));
    });

    it("filters by range, sender, receiver and position", async () => {
      const all = await call("trace_filter", {});
      const blocks = await Promise.all(["0x1", "0x2", "0x3"].map((number) => call("trace_block", number)));
      assert.deepEqual(all, blocks.flat());
      assert.deepEqual(await call("trace_filter", { after: 2, count: 3 }), all.slice(2, 5));
      const byCalls = (filter: { fromAddress?: string; toAddress?: string | string[]; mode?: string }) =>
        call("trace_filter", filter);
      const [top, inner] = await call("trace_transaction", hash("call"));
      assert.deepEqual(await call("trace_filter", { fromBlock: "0x3", toAddress: [at.caller], fromAddress: from }), [
        top,
      ]);
      assert.deepEqual(await byCalls({ fromAddress: at.caller! }), [inner]);
      const toEcho = await byCalls({ toAddress: at.ECHO! });
      assert.deepEqual(
        toEcho.map(({ type }: Json) => type),
        ["create", "call"],
      );
      assert.deepEqual(toEcho[1], inner);
      const [, destroyed] = await call("trace_transaction", hash("destroy"));
      assert.deepEqual(await byCalls({ fromAddress: at.destroyer! }), [destroyed]);
      assert.deepEqual(await byCalls({ fromAddress: at.destroyer!, toAddress: from }), [destroyed]);
      assert.deepEqual(await byCalls({ fromAddress: at.destroyer!, toAddress: at.ECHO! }), []);
      const both = { fromAddress: at.caller!, toAddress: at.destroyer! };
      const either = await byCalls({ ...both, mode: "union" });
      const sent = await byCalls({ fromAddress: both.fromAddress });
      const received = await byCalls({ toAddress: both.toAddress });
      const isFound = (one: Json) => [...sent, ...received].some((other) => isDeepStrictEqual(one, other));
      assert.deepEqual(either, all.filter(isFound));
      assert.equal(either.length, sent.length + received.length);
      assert.deepEqual(await byCalls({ fromAddress: both.fromAddress, mode: "union" }), sent);
      assert.deepEqual(await byCalls({ ...both, mode: "intersection" }), await byCalls(both));
      const deployed = (filter: object) => callDeployed("trace_filter", filter);
      assert.deepEqual(await deployed({ toAddress: [at.caller], fromAddress: from }), [top, inner]);
      assert.deepEqual(await deployed({ toAddress: [at.ECHO] }), []);
      assert.deepEqual(await call("trace_filter", { fromBlock: "0x3", toBlock: "0x77" }), blocks[2]);
      assert.deepEqual(await call("trace_filter", { fromBlock: "0x77" }), []);
    });

    it("rejects invalid filters and positions", async () => {
      const cases: [string, unknown[], string][] = [
        ["trace_filter", [5], "Invalid trace_filter parameters."],
        ["trace_filter", [{ count: 10_001 }], "Count value too big. Maximum 10000 traces allowed."],
        ["trace_filter", [{ mode: "all" }], "Invalid mode all: expected union or intersection"],
        ["trace_filter", [{ after: -1 }], "After value cannot be negative."],
        ["trace_filter", [{ after: 10_001 }], "After value too big. Maximum 10000 traces allowed."],
        ["trace_filter", [{ fromBlock: "0x2", toBlock: "0x1" }], "fromBlock cannot be greater than toBlock"],
        ["trace_get", [hash("call"), []], "'positions' cannot be null or empty"],
        ["trace_get", [hash("call"), ["0x0", "0x1"]], "'positions' accepts only one index"],
      ];
      for (const [method, params, message] of cases) {
        await assert.rejects(call(method, ...params), { code: -32602, message }, message);
      }
    });
  });

  describe("chain", () => {
    it("returns encoded headers and receipts", async () => {
      const block = real.chain.blockByNumber(3)!;
      const raw = toData(block.header.encode("spv"));
      assert.equal(await call("chain_getRawBlockHeaderByNumber", "0x3"), raw);
      assert.equal(await call("chain_getRawBlockHeaderByHash", toData(block.hash)), raw);
      const index = block.transactions.findIndex((one) => toHex(one.hash) === hash("log").slice(2));
      const receipt = toData(encodeReceipt(real.chain.receipts(block.hash)![index]!));
      assert.equal(await call("chain_getRawTransactionReceiptByHash", hash("log")), receipt);
    });

    it("proves a receipt up to the receipts root", async () => {
      const block = real.chain.blockByNumber(3)!;
      const nodes: string[] = await call("chain_getTransactionReceiptNodesByHash", toData(block.hash), hash("log"));
      assert.deepEqual(keccak256(fromHex(nodes.at(-1)!.slice(2))), block.header.receiptsRoot);
      const receipt = await call("chain_getRawTransactionReceiptByHash", hash("log"));
      assert.ok(nodes[0]!.includes(toHex(keccak256(fromHex(receipt.slice(2))))));
    });

    it("returns cells of any length, and null for absent ones", async () => {
      assert.equal(await call("chain_getStorageBytesAt", at.COUNTER, "0x0", "latest"), "0x01");
      assert.equal(await call("chain_getStorageBytesAt", at.COUNTER, "0x1", "latest"), "0x0");
      const unknown = `0x${"ab".repeat(32)}`;
      const block = toData(real.chain.best().hash);
      assert.equal(await call("chain_getRawBlockHeaderByHash", unknown), null);
      assert.equal(await call("chain_getRawBlockHeaderByNumber", "0x99"), null);
      assert.equal(await call("chain_getRawTransactionReceiptByHash", unknown), null);
      assert.equal(await call("chain_getTransactionReceiptNodesByHash", block, unknown), null);
      assert.equal(await call("chain_getTransactionReceiptNodesByHash", unknown, hash("log")), null);
      assert.equal(await call("chain_protocolVersion"), "0x3e");
    });
  });

  it("the bridge starts at the parent chain's genesis", async () => {
    const state = await call("eth_bridgeState");
    assert.deepEqual(state, { btcBlockchainBestChainHeight: 0, rskTxsWaitingForSignatures: [] });
  });

  it("computes the network's hash rate from the blocks of the last hour", async () => {
    assert.equal(await call("eth_netHashrate"), 0);
  });

  it("has no methods of absent modules", async () => {
    const names = [
      ...["eth_getCompilers", "eth_compileLLL", "eth_compileSolidity", "eth_compileSerpent"],
      ...["db_putString", "db_getString", "db_putHex", "db_getHex", "shh_post", "shh_version", "shh_newFilter"],
      ...["eth_baseFee", "eth_blobBaseFee"],
      ...["chain_shutdown", "chain_flush"],
    ];
    for (const name of names) {
      assert.ok(
        METHODS.every((method) => method.name !== name),
        name,
      );
      await assert.rejects(call(name), { code: -32601 });
    }
  });
});

/** Returns the packed changes of the state that a block of this chain makes. */
function changesOf(chain: Chain, number: number, maxBytes: number): Uint8Array | undefined {
  const block = chain.blockByNumber(number)!;
  const { parentHash } = block.header;
  const state = new JournaledState(chain.stateAfter(parentHash)!);
  const { network } = chain;
  executeBlock({ block, state, network, evm: createChainEvm(network), ancestors: chain.ancestors(parentHash) });
  return packChanges(state.commit().changes, maxBytes);
}

/** Counts the transactions, calls and frames that this thread begins to execute: each needs a checkpoint. */
async function executionsDuring(action: () => Promise<unknown>): Promise<number> {
  const original = JournaledState.prototype.checkpoint;
  let count = 0;
  JournaledState.prototype.checkpoint = function (this: JournaledState) {
    count++;
    return original.call(this);
  };
  try {
    await action();
    return count;
  } finally {
    JournaledState.prototype.checkpoint = original;
  }
}

const COUNTER_STEPS = "PUSH1 PUSH1 SLOAD ADD PUSH1 SSTORE STOP";
/** Creates a contract from the init code `fe`, an undefined opcode. */
const CREATOR = "60fe600053600160006000f000";
