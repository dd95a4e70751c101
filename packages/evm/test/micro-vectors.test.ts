import assert from "node:assert/strict";
import type { Rules } from "@cambium/config";
import { bytesToBigint, fromHex } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { CALLER, onlyRules, rulesWithout, runBare } from "./bare-frame.js";

// The table of spec/04 §11.2.

const RET = "60005260206000f3";
const BB = "bb".repeat(20);
const DD = "dd".repeat(20);
const CC = "cc".repeat(20);
const FOUR = `${"00".repeat(19)}04`;
const EMPTY_HASH = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
const ALL_ONES = "ff".repeat(32);
const BALANCE_CALL = `6000600060006000600173${CC}6000f1`;

interface Case {
  name: string;
  code: string;
  gas: number;
  /** Hex of the returned word without leading zeros; "fails", or "ok" if there is no output. */
  result: string;
  rules?: Rules;
  limit?: number;
  codes?: Record<string, string>;
  depth?: number;
  isStatic?: boolean;
  refund?: number;
  check?: (state: JournaledState) => void;
}

const exists =
  (address: string, expected: boolean, isContract = false) =>
  (state: JournaledState): void => {
    assert.equal(state.exists(fromHex(address)), expected);
    assert.equal(state.isContract(fromHex(address)), isContract);
  };

const before191 = rulesWithout("rskip191");
const bbSeesGas = { [BB]: `5a${RET}` };

const CASES: readonly Case[] = [
  { name: "header skip", code: `fc010100611234602052601f51${RET}`, gas: 33, result: "12" },
  { name: "header skip, no rule", code: `fc010100611234602052601f51${RET}`, gas: 33, result: "12", rules: onlyRules() },
  { name: "header only", code: "fc000000", gas: 1_000_000, result: "fails" },
  { name: "header, 10 extra bytes", code: `fc01010a0102030405060708090a6007${RET}`, gas: 18, result: "7" },
  { name: "short header", code: "fc", gas: 1_000_000, result: "fails" },
  { name: "DUPN n=1", code: `60016000a85b${RET}`, gas: 24, result: "1", rules: before191 },
  { name: "DUPN removed", code: `60016000a85b${RET}`, gas: 1_000_000, result: "fails" },
  { name: "SWAPN n=2", code: `600160026000a95b${RET}`, gas: 27, result: "1", rules: before191 },
  { name: "TXINDEX", code: `aa${RET}`, gas: 17, result: "0", rules: before191 },
  {
    name: "CALL value 0, missing account",
    code: `6000600060006000600073${BB}6000f1${RET}`,
    gas: 25736,
    result: "1",
    check: exists(BB, true),
  },
  {
    name: "STATICCALL, missing account",
    code: `600060006000600073${BB}6000fa${RET}`,
    gas: 733,
    result: "1",
    check: exists(BB, true),
  },
  {
    name: "DELEGATECALL, missing account",
    code: `600060006000600073${BB}6000f4${RET}`,
    gas: 733,
    result: "1",
    check: exists(BB, false),
  },
  { name: "CALL value 1", code: `${BALANCE_CALL}${RET}`, gas: 9736, result: "1" },
  { name: "CALL value 1, one gas short", code: BALANCE_CALL, gas: 12020, result: "fails", limit: 12020 },
  { name: "CALL value 1, just enough", code: BALANCE_CALL, gas: 9721, result: "ok", limit: 12021 },
  {
    name: "gas seen by the callee, value 1, gas 0",
    code: `6020600060006000600173${BB}6000f160206000f3`,
    gas: 9747,
    result: "8fa",
    codes: bbSeesGas,
  },
  {
    name: "gas seen by the callee, value 0, gas 5000",
    code: `6020600060006000600073${BB}611388f160206000f3`,
    gas: 747,
    result: "1386",
    codes: bbSeesGas,
  },
  {
    name: "callee given all gas",
    code: `6020600060006000600073${BB}5af160206000f3`,
    gas: 746,
    result: "f3f6b",
    codes: bbSeesGas,
  },
  {
    name: "reverting CREATE, RETURNDATASIZE",
    code: `6960aa60005260206000fd600052600a60166000f0503d${RET}`,
    gas: 32057,
    result: "0",
  },
  {
    name: "CREATE whose init sets then clears a slot",
    code: "6960016000556000600055600052600a60166000f000",
    gas: 57035,
    result: "ok",
  },
  {
    name: "the same through CALL",
    code: `6000600060006000600073${BB}62fffffff100`,
    gas: 25733,
    result: "ok",
    codes: { [BB]: "60016000556000600055" },
    refund: 15000,
  },
  {
    name: "CALL of 04, no input, fresh state",
    code: `60006000600060006000600461fffff1${RET}`,
    gas: 25751,
    result: "1",
    check: exists(FOUR, true, true),
  },
  {
    name: "DELEGATECALL of 04, fresh state",
    code: `6000600060006000600461fffff4${RET}`,
    gas: 748,
    result: "1",
    check: exists(FOUR, false, true),
  },
  { name: "EXTCODESIZE of 04", code: `60043b${RET}`, gas: 718, result: ALL_ONES },
  { name: "EXTCODESIZE of 04 before 90", code: `60043b${RET}`, gas: 718, result: "0", rules: rulesWithout("rskip90") },
  { name: "EXTCODEHASH of 04", code: `60043f${RET}`, gas: 418, result: EMPTY_HASH },
  { name: "EXTCODEHASH of a missing account", code: `73${DD}3f${RET}`, gas: 418, result: "0" },
  { name: "EXTCODEHASH of an empty account", code: `73${CC}3f${RET}`, gas: 418, result: EMPTY_HASH },
  { name: "EXTCODESIZE, dirty high byte", code: `7f01${"00".repeat(30)}043b${RET}`, gas: 718, result: "0" },
  {
    name: "SELFDESTRUCT to a missing account",
    code: `73${DD}ff`,
    gas: 30003,
    result: "ok",
    check: (state) => assert.equal(state.getBalance(fromHex(DD)), 1000n),
  },
  { name: "SELFDESTRUCT to self", code: "30ff", gas: 5002, result: "ok" },
  { name: "SSTORE absent to 1", code: "6001600055", gas: 20006, result: "ok" },
  { name: "SSTORE absent to 0", code: "6000600055", gas: 5006, result: "ok" },
  { name: "SSTORE 0,1,0", code: "60016000556000600055", gas: 25012, result: "ok", refund: 15000 },
  { name: "SSTORE 0,1,2", code: "60016000556002600055", gas: 25012, result: "ok" },
  { name: "EXP with 32-byte exponent", code: `7f${ALL_ONES}60020a${RET}`, gas: 1631, result: "0" },
  {
    name: "STATICCALL with 6 items",
    code: "6000600060006000600461fffffa",
    gas: 1_000_000,
    result: "fails",
    rules: onlyRules("rskip91"),
  },
  {
    name: "code deposit of 4096 bytes before 453",
    code: `6a6110006000f30000000000600052600b60156000f0${RET}`,
    gas: 32455,
    limit: 150_000,
    result: "3c952d36207c0d52743a646e7ac2649009bd358e",
    rules: onlyRules("rskip91", "rskip125"),
  },
  {
    name: "code deposit of 4096 bytes",
    code: `6a6110006000f30000000000600052600b60156000f0${RET}`,
    gas: 150_000,
    limit: 150_000,
    result: "fails",
  },
  {
    name: "CALL at depth 400",
    code: `60006000600060006000600461fffff1${RET}`,
    gas: 25736,
    result: "0",
    depth: 400,
  },
  { name: "MCOPY", code: "60206020526020602060005e", gas: 30, result: "ok" },
  { name: "SAR", code: `7f80${"00".repeat(31)}60ff1d${RET}`, gas: 24, result: ALL_ONES },
  { name: "SSTORE in a static frame", code: "6001600055", gas: 1_000_000, result: "fails", isStatic: true },
];

describe("single frames", () => {
  for (const test of CASES) {
    it(test.name, () => {
      const { rules, limit, codes, depth, isStatic } = test;
      const { frame, state, gasUsed } = runBare(test.code, { rules, gas: limit, codes, depth, isStatic });
      assert.equal(gasUsed, test.gas);
      assert.equal(frame.status, test.result === "fails" ? "failed" : "stopped");
      if (test.result !== "fails" && test.result !== "ok") {
        assert.equal(bytesToBigint(frame.output).toString(16), test.result);
      }
      assert.equal(frame.refund, test.refund ?? 0);
      test.check?.(state);
    });
  }

  it("leaves the caller's account unchanged", () => {
    const { state } = runBare("6001600055");
    assert.equal(state.getNonce(CALLER), 0n);
  });

  it("reaches the call depth limits without using the JavaScript stack", () => {
    // Calls itself with all gas up to the depth limit and counts the frames in slot 0.
    const recursive = `6001600054016000556000600060006000600073${BB}5af100`;
    for (const [rules, frames] of [
      [rulesWithout(), 400n],
      [rulesWithout("rskip150"), 1024n],
    ] as const) {
      const entry = `6000600060006000600073${BB}5af100`;
      const { state } = runBare(entry, { rules, gas: 50_000_000, codes: { [BB]: recursive } });
      assert.equal(state.getStorage(fromHex(BB), 0n), frames);
    }
  });
});
