import assert from "node:assert/strict";
import { encodeRlp, fromHex, keccak256, toHex, utf8 } from "@cambium/primitives";
import { type NativeCallContext, type NativeContract, NativeMethodUnavailable } from "@cambium/state";
import { CALLER, rulesWithout, runBare, SELF } from "./bare-frame.js";

const ADDRESS = "0000000000000000000000000000000001000006";
const BB = "bb".repeat(20);
const RET = "60005260206000f3";
/** CALL with no value, no input and no output, all gas. */
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
  it("hand over the hash of their internal transaction, chained to the caller's", () => {
    const hashes: string[] = [];
    const contracts = contract((context) => {
      hashes.push(toHex(context.transactionHash()));
      return new Uint8Array(0);
    });
    const code = call(ADDRESS);
    // The second record of the outer frame is the call to bb.., under which bb.. makes its own first one.
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

  it("tell caller, kind and depth", () => {
    const seen: string[] = [];
    const contracts = contract(({ caller, kind, depth, transaction }) => {
      seen.push(`${toHex(caller)} ${kind} ${depth} ${toHex(transaction.sender)}`);
      return new Uint8Array(0);
    });
    runBare(`5f5f5f5f73${ADDRESS}5afa`, { contracts });
    assert.deepEqual(seen, [`${toHex(SELF)} staticcall 0 ${toHex(CALLER)}`]);
  });

  it("cost their own gas only when they fail, from RSKIP-197; before, the calling frame", () => {
    const contracts = contract(() => {
      throw new Error("no");
    });
    const { frame, gasUsed, state } = runBare(`${call(ADDRESS)}${RET}`, { contracts });
    assert.equal(toHex(frame.output), "00".repeat(32));
    assert.equal(gasUsed, 5 * 2 + 3 + 2 + 700 + 25000 + 10 + 15);
    assert.equal(state.exists(fromHex(ADDRESS)), false);
    const before = runBare(`${call(ADDRESS)}${RET}`, { contracts, rules: rulesWithout("rskip197") });
    assert.equal(before.frame.status, "failed");
  });

  it("count a missing output as failure from RSKIP-197", () => {
    const contracts = contract(() => null);
    assert.equal(toHex(runBare(`${call(ADDRESS)}${RET}`, { contracts }).frame.output), "00".repeat(32));
    const before = runBare(`${call(ADDRESS)}${RET}`, { contracts, rules: rulesWithout("rskip197") });
    assert.equal(toHex(before.frame.output), "01".padStart(64, "0"));
  });

  it("keep the logs of a failed call, drop its writes", () => {
    const contracts = contract(({ state, log }) => {
      state.setStorage(SELF, 1n, 1n);
      log({ address: fromHex(ADDRESS), topics: [], data: new Uint8Array(0) });
      throw new Error("no");
    });
    const { execution, state } = runBare(call(ADDRESS), { contracts });
    assert.equal(execution.logs.length, 1);
    assert.equal(state.getStorage(SELF, 1n), 0n);
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

  it("are reported, except those made in nested creations", () => {
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

  it("let the node's own faults through", () => {
    const contracts = contract(() => {
      throw new NativeMethodUnavailable({ code: "BRIDGE_METHOD_UNAVAILABLE", method: "x()" });
    });
    assert.throws(() => runBare(call(ADDRESS), { contracts }), NativeMethodUnavailable);
  });
});
