import assert from "node:assert/strict";
import { encodeRlp, fromHex, keccak256, toHex, utf8 } from "@cambium/primitives";
import { type NativeCallContext, type NativeContract, StateError, TextlessFailure } from "@cambium/state";
import type { Tracer } from "../src/index.js";
import { CALLER, rulesWithout, runBare, SELF } from "./bare-frame.js";

const ADDRESS = "0000000000000000000000000000000001000006";
const BB = "bb".repeat(20);
const RET = "60005260206000f3";
/** CALL with all gas, without value, input and output. */
const call = (address: string): string => `5f5f5f5f5f73${address}5af1`;

function contract(execute: (context: NativeCallContext) => Uint8Array | null, own: Partial<NativeContract> = {}) {
  const whole: NativeContract = {
    address: fromHex(ADDRESS),
    name: "test",
    isActive: () => true,
    recordsInternalTransactions: true,
    gas: () => 10,
    execute: (_, context) => execute(context),
    ...own,
  };
  return [whole];
}

describe("calls to native contracts", () => {
  it("pass the hash of their internal transaction, chained to the caller's", () => {
    const hashes: string[] = [];
    const contracts = contract((context) => {
      hashes.push(toHex(context.transactionHash()));
      return new Uint8Array(0);
    });
    const code = call(ADDRESS);
    // The second record of the outer frame is the call to bb.., whose frame records its own first call.
    runBare(`${code}${call(BB)}`, { contracts, codes: { [BB]: code } });
    const none = new Uint8Array(0);
    const gasLimit = fromHex((10_000_000).toString(16).padStart(64, "0"));
    const record = (parent: Uint8Array, from: Uint8Array, to: string, data: Uint8Array, depth: number, index: number) =>
      keccak256(
        encodeRlp([
          none,
          parent,
          from,
          fromHex(to),
          none,
          none,
          gasLimit,
          data,
          utf8("call"),
          depth === 0 ? none : Uint8Array.of(depth),
          index === 0 ? none : Uint8Array.of(index),
          none,
        ]),
      );
    const outer = new Uint8Array(32);
    const middle = record(outer, SELF, BB, fromHex(code), 0, 1);
    assert.deepEqual(hashes, [
      toHex(record(outer, SELF, ADDRESS, none, 0, 0)),
      toHex(record(middle, fromHex(BB), ADDRESS, none, 1, 0)),
    ]);
  });

  it("pass caller, kind and depth", () => {
    const seen: string[] = [];
    const contracts = contract(({ caller, kind, depth, transaction }) => {
      seen.push(`${toHex(caller)} ${kind} ${depth} ${toHex(transaction.sender)}`);
      return new Uint8Array(0);
    });
    runBare(`5f5f5f5f73${ADDRESS}5afa`, { contracts });
    assert.deepEqual(seen, [`${toHex(SELF)} staticcall 0 ${toHex(CALLER)}`]);
  });

  it("cost only their own gas on failure from RSKIP-197, and fail the calling frame before", () => {
    const contracts = contract(() => {
      throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: "test", reason: "no" });
    });
    const { frame, gasUsed, state } = runBare(`${call(ADDRESS)}${RET}`, { contracts });
    assert.equal(toHex(frame.output), "00".repeat(32));
    assert.equal(gasUsed, 5 * 2 + 3 + 2 + 700 + 25000 + 10 + 15);
    assert.equal(state.exists(fromHex(ADDRESS)), false);
    const before = runBare(`${call(ADDRESS)}${RET}`, { contracts, rules: rulesWithout("rskip197") });
    assert.equal(before.frame.failure?.isNative, true);
    assert.equal(before.frame.status, "failed");
  });

  it("count a null output as a failure from RSKIP-197", () => {
    const contracts = contract(() => null);
    assert.equal(toHex(runBare(`${call(ADDRESS)}${RET}`, { contracts }).frame.output), "00".repeat(32));
    const before = runBare(`${call(ADDRESS)}${RET}`, { contracts, rules: rulesWithout("rskip197") });
    assert.equal(toHex(before.frame.output), "01".padStart(64, "0"));
  });

  it("keep the logs of a failed call but drop its writes", () => {
    const contracts = contract(({ state, log }) => {
      state.setStorage(SELF, 1n, 1n);
      log({ address: fromHex(ADDRESS), topics: [], data: new Uint8Array(0) });
      throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: "test", reason: "no" });
    });
    const { execution, state } = runBare(call(ADDRESS), { contracts });
    assert.equal(execution.logs.length, 1);
    assert.equal(state.getStorage(SELF, 1n), 0n);
  });

  it("are reported to a tracer with their outcome and logs", () => {
    const lines: string[] = [];
    const tracer: Tracer = {
      enterNative: ({ kind, from, to, codeAddress, value, input, gas, depth }) =>
        lines.push([kind, ...[from, to, codeAddress, input].map(toHex), value, gas, depth].join(" ")),
      exitNative: ({ output, gasUsed, failure }) =>
        lines.push([toHex(output), gasUsed, failure?.kind].join(" ").trim()),
      log: ({ topics }) => lines.push(`log ${topics.length}`),
    };
    const outcomes: (() => Uint8Array | null)[] = [
      () => Uint8Array.of(1, 2),
      () => null,
      () => {
        throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: "test", reason: "no" });
      },
    ];
    const contracts = contract(({ log }) => {
      log({ address: fromHex(ADDRESS), topics: [], data: new Uint8Array(0) });
      return outcomes.shift()!();
    });
    const self = toHex(SELF);
    const code = `60ff5f53${["14", "14", "14", "09"].map((gas) => `5f5f60025f5f73${ADDRESS}60${gas}f1`).join("")}`;
    runBare(code, { contracts, tracer });
    const entry = (gas: number) => `call ${self} ${ADDRESS} ${ADDRESS} ff00 0 ${gas} 1`;
    assert.deepEqual(lines, [
      ...[entry(20), "log 0", "0102 10"],
      ...[entry(20), "log 0", "10 contract-error"],
      ...[entry(20), "log 0", "10 contract-error"],
      ...[entry(9), "9 out-of-gas"],
    ]);
  });

  it("cut the input to the contract's maximum from RSKIP-516", () => {
    const lengths: number[] = [];
    const gas = (data: Uint8Array | null) => {
      lengths.push(data!.length);
      return 0;
    };
    const contracts = contract(() => new Uint8Array(0), { maxInput: 3, gas });
    const code = `5f5f60055f5f73${ADDRESS}5af1`;
    runBare(code, { contracts });
    runBare(code, { contracts, rules: rulesWithout("rskip516") });
    assert.deepEqual(lengths, [3, 5]);
  });

  it("are not given data that cannot be paid for, and fail as others without enough gas", () => {
    let reads = 0;
    const gas = () => {
      reads++;
      return 10;
    };
    const code = `5f5f5f5f5f73${ADDRESS}6009f1${RET}`;
    const run = (own: Partial<NativeContract>) => {
      const { frame, gasUsed, state } = runBare(code, { contracts: contract(() => null, { gas, ...own }) });
      return { output: toHex(frame.output), gasUsed, exists: state.exists(fromHex(ADDRESS)) };
    };
    assert.deepEqual(run({ leastGas: () => 10 }), run({}));
    assert.equal(reads, 1);
    run({ leastGas: () => 9 });
    assert.equal(reads, 2);
  });

  it("are reported, except inside nested creations", () => {
    const contracts = contract(() => new Uint8Array(0));
    assert.deepEqual([...runBare(`${call(ADDRESS)}fe`, { contracts }).execution.calledContracts], [ADDRESS]);
    const nested = runBare(call(BB), { contracts, codes: { [BB]: `${call(ADDRESS)}fd` } });
    assert.deepEqual([...nested.execution.calledContracts], [ADDRESS]);
    const init = call(ADDRESS);
    const size = (init.length / 2).toString(16);
    const stored = init.padEnd(64, "0");
    const creating = runBare(`7f${stored}5f5260${size}5f5ff0`, { contracts });
    assert.equal(creating.execution.calledContracts.size, 0);
  });

  const early = rulesWithout("rskip150", "rskip197");
  /** CALL without value and input, output size 0 at `offset`; then MSIZE. */
  const callAt = (offset: bigint): string =>
    `5f7f${offset.toString(16).padStart(64, "0")}5f5f5f73${ADDRESS}5af159${RET}`;

  it("write their whole output at the low 32 bits of its offset before RSKIP-150", () => {
    const contracts = contract(() => new Uint8Array(33).fill(7));
    const sizeAfter = (offset: bigint) => toHex(runBare(callAt(offset), { contracts, rules: early }).frame.output);
    assert.equal(sizeAfter(0n), "40".padStart(64, "0"));
    assert.equal(sizeAfter(2n ** 255n + 2n ** 32n + 64n), "80".padStart(64, "0"));
    for (const negative of [2n ** 32n - 1n, 2n ** 31n, 2n ** 256n - 2n ** 31n]) {
      assert.equal(runBare(callAt(negative), { contracts, rules: early }).frame.failure?.kind, "other");
    }
    const empty = contract(() => new Uint8Array(0));
    assert.equal(runBare(callAt(2n ** 256n - 1n), { contracts: empty, rules: early }).frame.status, "stopped");
  });

  it("fail the frame if their output would need gigabytes", () => {
    const contracts = contract(() => new Uint8Array(32));
    const failureAt = (offset: bigint) => runBare(callAt(offset), { contracts, rules: early }).frame.failure?.kind;
    for (const offset of [2n ** 30n, 2n ** 31n - 33n, 2n ** 31n - 1n]) assert.equal(failureAt(offset), "other");
    // Frames in execution share the limit of one memory: each takes a quarter of it and calls the next.
    const code = `${callAt(2n ** 28n - 32n).slice(0, -18)}5f5260205f5f5f5f73${BB}60025a04f15f5160010160005260206000f3`;
    const { frame } = runBare(code, { contracts, rules: early, codes: { [BB]: code }, gas: 10_000_000 });
    assert.equal(frame.status, "stopped");
    assert.equal(frame.memory.bytes.length, 1024);
  });

  it("can fail without a message", () => {
    const contracts = contract(() => new Uint8Array(0), {
      gas: () => {
        throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: "test", reason: "no" });
      },
    });
    assert.equal(runBare(call(ADDRESS), { contracts }).frame.failure?.textless, true);
    const nested = runBare(call(BB), { contracts, codes: { [BB]: call(ADDRESS) } });
    assert.equal(nested.frame.status, "stopped");
  });

  it("rethrow the node's own faults", () => {
    const contracts = contract(() => {
      throw new StateError({ code: "MALFORMED_ACCOUNT", reason: "flags" });
    });
    assert.throws(() => runBare(call(ADDRESS), { contracts }), StateError);
    const withBug = contract(() => (undefined as unknown as Uint8Array).slice());
    for (const rules of [rulesWithout(), early]) {
      assert.throws(() => runBare(call(ADDRESS), { contracts: withBug, rules }), TypeError);
    }
  });
});
