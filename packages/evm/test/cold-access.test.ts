import assert from "node:assert/strict";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { contractAddress, EMPTY_BYTES, fromHex, toHex } from "@cambium/primitives";
import { JournaledState, type NativeContract, openState } from "@cambium/state";
import { fc, runs } from "@cambium/test-utils/properties";
import { executeEthereum } from "../src/ethereum/index.js";
import { createEvm, type LocalCallOutcome, precompiles } from "../src/index.js";
import { type BareRun, BLOCK, CALLER, rulesWithout, runBare, SELF } from "./bare-frame.js";

// RSKIP-555: spec/04 §3.8. The expected gas is worked out by hand from its table.

const RULES = { ...rulesWithout(), rskip555: true };
const OTHER = "b1".repeat(20);
const THIRD = "b2".repeat(20);
const PUSH_OTHER = `73${OTHER}`;
const PUSH_THIRD = `73${THIRD}`;
/** A STATICCALL without data and 65535 gas; then POP. */
const STATICCALL = (target: string) => `5f5f5f5f${target}61fffffa50`;
/** 4 PUSH0, PUSH20, PUSH2 and POP. */
const CALL_REST = 4 * 2 + 3 + 3 + 2;

const run = (code: string, options: BareRun = {}) => runBare(code, { rules: RULES, ...options });

const PRICES: [name: string, code: string, gas: number, options?: BareRun][] = [
  ["SLOAD of a cell, twice", "5f54505f5450", 2 + 2100 + 2 + 2 + 100 + 2],
  ["SLOAD of two cells", "5f545060015450", 2 + 2100 + 2 + 3 + 2100 + 2],
  ["BALANCE of an account, twice", `${PUSH_OTHER}3150${PUSH_OTHER}3150`, 3 + 2600 + 2 + 3 + 100 + 2],
  ["accounts warmed by each other", `${PUSH_OTHER}3b50${PUSH_OTHER}3f50`, 3 + 2600 + 2 + 3 + 100 + 2],
  ["EXTCODECOPY, twice", `5f5f5f${PUSH_OTHER}3c5f5f5f${PUSH_OTHER}3c`, 9 + 2600 + 9 + 100],
  ["an address with other upper bytes", `7f${"ff".repeat(12)}${OTHER}3150${PUSH_OTHER}3150`, 5 + 2600 + 5 + 100],
  ["what is warm from the start", "303150333150", 2 + 100 + 2 + 2 + 100 + 2],
  ["precompiled contracts", "60013150600931506010315061bad03150", 5 + 100 + 5 + 100 + 5 + 2600 + 5 + 2600],
  ["a call, twice", STATICCALL(PUSH_OTHER).repeat(2), 2 * CALL_REST + 2600 + 100, { codes: { [OTHER]: "00" } }],
  [
    "the account of a call that reverts",
    `${STATICCALL(PUSH_OTHER)}${PUSH_OTHER}3150`,
    CALL_REST + 2600 + 4 + 5 + 100,
    { codes: { [OTHER]: "5f5ffd" } },
  ],
  [
    "what a reverted call accessed",
    `${STATICCALL(PUSH_OTHER).repeat(2)}${PUSH_THIRD}3150`,
    2 * CALL_REST + 2600 + 100 + 2 * (4 + 2100 + 5 + 2600 + 4) + 5 + 2600,
    { codes: { [OTHER]: `5f5450${PUSH_THIRD}31505f5ffd` } },
  ],
  [
    "what a call accessed that did not fail",
    `${STATICCALL(PUSH_OTHER).repeat(2)}${PUSH_THIRD}3150`,
    2 * CALL_REST + 2600 + 100 + 4 + 2100 + 5 + 2600 + 4 + 100 + 5 + 100 + 5 + 100,
    { codes: { [OTHER]: `5f5450${PUSH_THIRD}315000` } },
  ],
  ["a created account", "5f5f5ff03150", 6 + 32_000 + 100 + 2],
  [
    "an account whose init code reverts",
    `625f5ffd5f526003601d5ff05073${toHex(contractAddress(SELF, 0n))}3150`,
    3 + 2 + 6 + 8 + 32_000 + 2 + 4 + 2 + 5 + 100,
  ],
  ["SELFDESTRUCT to a cold account", `${PUSH_OTHER}ff`, 3 + 5000 + 2600, { codes: { [OTHER]: "00" } }],
  ["SELFDESTRUCT to a warm account", "33ff", 2 + 5000],
  ["SELFDESTRUCT to a new account", `${PUSH_OTHER}ff`, 3 + 5000 + 25_000 + 2600],
  ["SELFBALANCE, TLOAD and TSTORE", "47505f5c505f5f5d", 5 + 2 + 2 + 100 + 2 + 4 + 100],
];

/** Original value of a cell, the values written to it, and the gas of these writes without PUSH. */
const WRITES: [original: bigint, values: number[], gas: number, refund: number][] = [
  [0n, [0], 2100 + 100, 0],
  [0n, [1], 2100 + 20_000, 0],
  [0n, [1, 0], 2100 + 20_000 + 100, 19_900],
  [0n, [1, 1], 2100 + 20_000 + 100, 0],
  [0n, [1, 2], 2100 + 20_000 + 100, 0],
  [0n, [1, 0, 1], 2100 + 20_000 + 100 + 20_000, 19_900],
  [1n, [1], 2100 + 100, 0],
  [1n, [2], 2100 + 2900, 0],
  [1n, [0], 2100 + 2900, 15_000],
  [1n, [0, 0], 2100 + 2900 + 100, 15_000],
  [1n, [0, 1], 2100 + 2900 + 100, 2800],
  [1n, [0, 2], 2100 + 2900 + 100, 0],
  [1n, [2, 0], 2100 + 2900 + 100, 15_000],
  [1n, [2, 1], 2100 + 2900 + 100, 2800],
  [1n, [2, 2], 2100 + 2900 + 100, 0],
  [1n, [2, 3], 2100 + 2900 + 100, 0],
  [1n, [1, 0], 2100 + 100 + 2900, 15_000],
  [1n, [0, 1, 0], 2100 + 2900 + 100 + 2900, 17_800],
];

describe("cold and warm accesses (RSKIP-555)", () => {
  for (const [name, code, gas, options] of PRICES) {
    it(`prices ${name}`, () => {
      const result = run(code, options);
      assert.equal(result.frame.status, "stopped");
      assert.equal(result.gasUsed, gas);
    });
  }

  it("begin with native contracts that are active", () => {
    const native = (rule: "rskip203" | "rskip516", byte: string): NativeContract => {
      return { ...precompiles[3]!, address: fromHex(byte.padStart(40, "0")), isActive: (rules) => rules[rule] };
    };
    const contracts = [native("rskip203", "01000011"), native("rskip516", "01000016")];
    const rules = { ...RULES, rskip516: false };
    assert.equal(run("6301000011315063010000163150", { contracts, rules }).gasUsed, 5 + 100 + 5 + 2600);
  });

  it("do not begin with the block's beneficiary", () => {
    const block = { ...BLOCK, coinbase: fromHex(THIRD) };
    const outcome = call(network(), "4131504131505f5450", { block });
    assert.equal(outcome.gasUsed, 21_000 + 4 + 2600 + 4 + 100 + 4 + 2100);
  });
});

describe("SSTORE with net gas (RSKIP-555)", () => {
  for (const [original, values, gas, refund] of WRITES) {
    it(`from ${original} to ${values.join(", ")}`, () => {
      const code = values.map((value) => `600${value}5f55`).join("");
      const result = run(code, { cells: { 0: original } });
      assert.deepEqual([result.gasUsed - 5 * values.length, result.frame.refund], [gas, refund]);
    });
  }

  it("needs more than 2300 gas, whatever it costs", () => {
    const before = 2 + 2100 + 2 + 2 + 2;
    assert.equal(run("5f54505f5f55", { gas: before + 2300 }).frame.status, "failed");
    const passing = run("5f54505f5f55", { gas: before + 2301 });
    assert.equal(passing.frame.status, "stopped");
    assert.equal(passing.gasUsed, before + 100);
    assert.equal(passing.frame.maxGasUsed, before + 2301, "an estimate must leave the gas");
    assert.equal(run("5f5f55", { gas: 4 + 2301 }).gasUsed, 4 + 2100 + 100, "the surcharge is spent behind the check");
  });

  it("has a refund counter that may be negative in a called frame", () => {
    // Writes 1 to cell 0 if called with data; otherwise writes 0 and calls itself with one byte.
    const code = "36601757" + "5f5f55" + "5f5f60015f5f3062fffffff15000" + "5b" + "60015f5500";
    const destination = code.indexOf("5b60015f55") / 2;
    const jumping = code.replace("366017", `3660${destination.toString(16).padStart(2, "0")}`);
    const result = run(jumping, { gas: 20_000_000, cells: { 0: 1n }, codes: { [toHex(SELF)]: jumping } });
    assert.equal(result.frame.status, "stopped");
    assert.equal(result.frame.refund, 2800);
    assert.equal(result.state.getStorage(SELF, 0n), 1n);
  });

  it("keeps the original value over a frame that failed", () => {
    // If called without data, calls itself, which writes 2 and reverts; then writes 1, the cell's first value.
    const code = "36601457" + "5f5f60015f5f3062fffffff15060015f5500" + "5b" + "60025f555f5ffd";
    const destination = code.indexOf("5b60025f55") / 2;
    const jumping = code.replace("366014", `3660${destination.toString(16).padStart(2, "0")}`);
    const result = run(jumping, { gas: 20_000_000, cells: { 0: 1n }, codes: { [toHex(SELF)]: jumping } });
    const inner = 2 + 3 + 10 + 1 + 5 + 5000 + 4;
    const outer = 2 + 3 + 10 + 2 * 4 + 3 + 2 + 3 + 100 + 3 + 2 + 5 + 2200;
    assert.deepEqual([result.gasUsed, result.frame.refund], [outer + inner, 0]);
  });

  it("refunds at most half of the gas used", () => {
    const outcome = call(network(), "5f5f55", { cells: [1n] });
    assert.deepEqual([outcome.gasUsed, outcome.refund], [13_002, 13_002]);
  });
});

/** The local network with RSKIP-555, and without a rule that Berlin lacks. */
function network(): NetworkConfig {
  const { local } = NETWORKS;
  return { ...local, ruleHeights: { ...local.ruleHeights, rskip555: 0, rskip438: -1 } };
}

interface World {
  block?: typeof BLOCK;
  cells?: readonly bigint[];
  codes?: readonly string[];
}

const ACCOUNTS = [OTHER, THIRD, "b3".repeat(20)];

function stateOf(code: string, { cells = [], codes = [] }: World): JournaledState {
  const state = new JournaledState(openState());
  state.addBalance(CALLER, 10n ** 18n);
  for (const [address, hex] of [[toHex(SELF), code], ...ACCOUNTS.map((one, i) => [one, codes[i] ?? ""])] as const) {
    state.addBalance(fromHex(address), 1n);
    state.markContract(fromHex(address));
    state.setCode(fromHex(address), fromHex(hex));
    cells.forEach((value, slot) => {
      state.setStorage(fromHex(address), BigInt(slot), value);
    });
  }
  return state;
}

const CALL = { from: CALLER, to: SELF, data: EMPTY_BYTES, value: 0n, gasPrice: 0n, gasLimit: 5_000_000n };

function call(on: NetworkConfig, code: string, world: World = {}): LocalCallOutcome {
  const evm = createEvm({ network: on, contracts: precompiles });
  return evm.call(CALL, world.block ?? BLOCK, stateOf(code, world));
}

describe("agreement with Berlin on cold and warm accesses", () => {
  const account = fc.constantFrom(...ACCOUNTS, toHex(SELF)).map((address) => `73${address}`);
  /**
   * Only other accounts make no calls. A call that requests more gas than is left gets all of it here, and a 64th less
   * on Ethereum.
   */
  const callee = fc.constantFrom(...ACCOUNTS).map((address) => `73${address}`);
  const slot = fc.constantFrom("6000", "6001", "6002");
  const simple = fc.oneof(
    slot.map((push) => `${push}5450`),
    fc.tuple(slot, slot).map(([key, value]) => `${value}${key}55`),
    fc.tuple(slot, slot).map(([key, value]) => `${value}${key}55`),
    fc.tuple(account, fc.constantFrom("31", "3b", "3f")).map(([push, op]) => `${push}${op}50`),
    account.map((push) => `600a60006000${push}3c`),
    fc.constant("600060006000f03150"),
  );
  const calls = fc
    .tuple(callee, fc.constantFrom("f1", "f2"), fc.constantFrom("614000", "620186a0"))
    .map(([push, op, gas]) => `60006000600060006000${push}${gas}${op}50`);
  const delegations = fc
    .tuple(callee, fc.constantFrom("f4", "fa"), fc.constantFrom("614000", "620186a0"))
    .map(([push, op, gas]) => `6000600060006000${push}${gas}${op}50`);
  const end = fc.oneof(
    fc.constantFrom("00", "00", "60006000fd", "fe"),
    account.map((push) => `${push}ff`),
  );
  const program = (steps: fc.Arbitrary<string>, maxLength: number) =>
    fc.tuple(fc.array(steps, { maxLength }), end).map(([list, last]) => list.join("") + last);
  const leaf = program(simple, 6);
  const values = fc.array(fc.constantFrom(0n, 1n, 2n), { minLength: 3, maxLength: 3 });

  it("in gas, refund and outcome", async () => {
    const on = network();
    await fc.assert(
      fc.asyncProperty(
        program(fc.oneof(simple, calls, delegations), 12),
        fc.tuple(leaf, leaf, leaf),
        values,
        async (code, codes, cells) => {
          const world = { cells, codes };
          const ours = call(on, code, world);
          const state = stateOf(code, world);
          const theirs = await executeEthereum(CALL, { hardfork: "berlin", chainId: 30, block: BLOCK, state });
          const shown = ({ status, gasUsed, refund }: typeof theirs) => ({ status, gasUsed, refund });
          assert.deepEqual(shown(ours), shown(theirs), JSON.stringify([code, codes]));
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
