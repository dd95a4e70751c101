import assert from "node:assert/strict";
import { local, main, type NetworkConfig, REWARD_ADDRESS } from "@cambium/config";
import { compareBytes, fromHex, leftPad, toHex, utf8 } from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { createRewardContract } from "../src/reward/index.js";
import { genesisFederators } from "./genesis-federators.js";
import { account, RewardChain, type TestUncle } from "./reward-chain.js";

// The scenarios of spec/05 §12.2 to §12.10 and §5.

const FUND = local.reward.fundAddress;
const FEDERATORS = [
  "6b045752f4d650a510a353bbf7e52988331e7f5b",
  "85845342b0d5260d516d6da5280a7df9a96d1925",
  "138161cda86b55c0de1bc3a0adef974633c85fbe",
].map(fromHex);
const F = 21000n;

const withoutRskip85: NetworkConfig = { ...local, ruleHeights: { ...local.ruleHeights, rskip85: -1 } };

function chain(network = withoutRskip85, minimumGasPrice = 10n): RewardChain {
  return new RewardChain(network, createRewardContract(genesisFederators(network)), minimumGasPrice);
}

interface Expected {
  reward: bigint;
  burned: bigint;
  broken: boolean | undefined;
  contract: bigint;
  fund?: bigint;
  federator?: bigint;
  accounts?: Record<string, bigint>;
}

function check(tested: RewardChain, expected: Expected): void {
  assert.equal(tested.cell("rewardBalance"), expected.reward, "reward");
  assert.equal(tested.cell("burnedBalance"), expected.burned, "burned");
  assert.equal(tested.broken, expected.broken, "broken");
  assert.equal(tested.balance(REWARD_ADDRESS), expected.contract, "contract");
  assert.equal(tested.balance(FUND), expected.fund ?? 0n, "fund");
  for (const federator of FEDERATORS) assert.equal(tested.balance(federator), expected.federator ?? 0n, "federator");
  for (const [name, amount] of Object.entries(expected.accounts ?? {})) {
    assert.equal(tested.balance(name), amount, name);
  }
}

function payees(tested: RewardChain): string[] {
  const names = new Map([
    [toHex(FUND), "fund"],
    ...FEDERATORS.map((address, i) => [toHex(address), `f${i}`] as const),
    ...[..."ABCDE"].map((name) => [toHex(account(name)), name] as const),
  ]);
  return tested.payments.map(({ to, amount }) => `${names.get(toHex(to)) ?? toHex(to)} ${amount}`);
}

/** Adds blocks 1 to 5, the last by A with the fee. */
function upToFive(tested: RewardChain): void {
  tested.until(4);
  tested.add({ miner: "A", fees: F });
}

describe("reward contract", () => {
  it("pays without siblings (§12.2)", () => {
    const tested = chain();
    upToFive(tested);
    tested.until(14);
    check(tested, { reward: 0n, burned: 0n, broken: undefined, contract: 21000n });
    tested.until(15);
    check(tested, {
      reward: 16800n,
      burned: 0n,
      broken: false,
      contract: 16800n,
      fund: 840n,
      federator: 11n,
      accounts: { A: 3327n },
    });
    assert.deepEqual(payees(tested), ["fund 840", "f0 11", "f1 11", "f2 11", "A 3327"]);
    assert.equal(tested.logs.length, 5);
    assert.equal(toHex(tested.logs[4]!.topics[0]!), "000000000000000000000000000000006d696e696e675f6665655f746f706963");
    assert.deepEqual(tested.logs[4]!.topics[1]!, leftPad(account("A"), 32));
    assert.deepEqual(tested.logs[4]!.data.subarray(2, 34), tested.headers[5]!.hash);
  });

  it("only accumulates before the synthetic span (§12.2)", () => {
    const tested = chain();
    tested.until(2);
    tested.add({ miner: "A", fees: F });
    tested.until(13);
    check(tested, { reward: 21000n, burned: 0n, broken: undefined, contract: 21000n });
  });

  it("writes the constant siblings cell from the first block", () => {
    const tested = chain();
    tested.until(1);
    assert.equal(tested.cell("siblings"), 0xc0n);
    assert.equal(tested.state.getBalance(REWARD_ADDRESS), 0n);
  });

  it("pays a sibling and its publisher (§12.3)", () => {
    const tested = chain();
    upToFive(tested);
    tested.add({ miner: "C", fees: 0n, uncles: [{ miner: "B", height: 5, fees: 31500n }] });
    tested.until(15);
    check(tested, {
      reward: 16800n,
      burned: 1n,
      broken: false,
      contract: 16801n,
      fund: 840n,
      federator: 11n,
      accounts: { A: 1497n, B: 1497n, C: 332n },
    });
    assert.deepEqual(payees(tested), ["fund 840", "f0 11", "f1 11", "f2 11", "C 332", "B 1497", "A 1497"]);
  });

  const lowHash = (first: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? first : 0));
  const variants: [string, Omit<TestUncle, "miner" | "height">, Uint8Array | undefined][] = [
    ["higher fees", { fees: 63000n }, undefined],
    ["lower hash", { fees: 31500n, hash: lowHash(0xc8) }, lowHash(0xc9)],
  ];
  for (const [name, uncle, hash] of variants) {
    it(`punishes a broken selection rule one height later: ${name} (§12.4)`, () => {
      const tested = chain();
      tested.until(4);
      tested.add({ miner: "A", fees: F, ...(hash === undefined ? {} : { hash }) });
      tested.add({ miner: "C", fees: F, uncles: [{ miner: "B", height: 5, ...uncle }] });
      tested.add({ miner: "D", fees: F });
      tested.until(15);
      const accounts = { A: 1497n, B: 1497n };
      check(tested, {
        reward: 16800n,
        burned: 1n,
        broken: true,
        contract: 58801n,
        fund: 840n,
        federator: 11n,
        accounts: { ...accounts, C: 332n },
      });
      tested.until(16);
      check(tested, {
        reward: 30240n,
        burned: 599n,
        broken: false,
        contract: 51839n,
        fund: 2352n,
        federator: 31n,
        accounts: { ...accounts, C: 5722n },
      });
      assert.deepEqual(payees(tested), ["fund 1512", "f0 20", "f1 20", "f2 20", "C 5390"]);
    });
  }

  it("punishes late siblings, and siblings after a broken rule (§12.5)", () => {
    const tested = chain();
    upToFive(tested);
    tested.add({ miner: "C", fees: F });
    tested.add({
      miner: "E",
      fees: F,
      uncles: [
        { miner: "B", height: 5, fees: 63000n },
        { miner: "D", height: 6, fees: F },
      ],
    });
    tested.until(14);
    tested.until(16, F);
    // Both blocks add to the reward balance; the final amounts include the remainder of block 15.
    check(tested, {
      reward: 30240n,
      burned: 613n,
      broken: false,
      contract: 93853n,
      fund: 2352n,
      federator: 31n,
      accounts: { A: 1497n, B: 1423n, C: 2426n, D: 2426n, E: 930n },
    });
    assert.deepEqual(payees(tested), ["fund 1512", "f0 20", "f1 20", "f2 20", "E 598", "D 2426", "C 2426"]);
  });

  it("does not pay a publisher of a later height early (§12.6)", () => {
    const tested = chain();
    tested.until(4);
    tested.add({ miner: "D", fees: F });
    tested.add({ miner: "A", fees: F });
    tested.add({ miner: "C", fees: F, uncles: [{ miner: "B", height: 6, fees: 63000n }] });
    tested.until(15);
    check(tested, {
      reward: 16800n,
      burned: 0n,
      broken: false,
      contract: 58800n,
      fund: 840n,
      federator: 11n,
      accounts: { A: 0n, B: 0n, C: 0n, D: 3327n },
    });
  });

  describe("runner series (§12.7)", () => {
    function run(included: Record<number, number>, fees = F, minimumGasPrice = 10n): RewardChain {
      const tested = chain(withoutRskip85, minimumGasPrice);
      let sibling = 0;
      for (let number = 1; number <= 16; number++) {
        const uncles = Array.from({ length: included[number] ?? 0 }, () => ({
          miner: `s${sibling++}`,
          height: 6,
          fees,
          uncleCount: 0,
        }));
        tested.add({ miner: `m${number}`, fees, uncles, uncleCount: 0 });
      }
      return tested;
    }

    const cases: [string, Record<number, number>, bigint, bigint, Record<string, bigint>][] = [
      ["none", {}, 0n, 294000n, { m6: 16632n }],
      ["one in 8", { 8: 1 }, 375n, 294375n, { m6: 7484n, s0: 7110n, m8: 1663n }],
      ["one in 7 and one in 8", { 7: 1, 8: 1 }, 252n, 294252n, { m6: 4989n, s0: 4989n, s1: 4740n, m7: 831n, m8: 831n }],
      ["one in 13", { 13: 1 }, 2246n, 296246n, { m6: 7484n, s0: 5239n, m13: 1663n }],
      ["nine in 7", { 7: 9 }, 16n, 294016n, { m6: 1496n, s0: 1496n, s8: 1496n, m7: 1656n }],
      ["ten in 7", { 7: 10 }, 12n, 294012n, { m6: 1360n, s0: 1360n, s9: 1360n, m7: 1660n }],
    ];
    for (const [name, included, burned, contract, accounts] of cases) {
      it(`siblings of height 6: ${name}`, () => {
        const tested = run(included);
        check(tested, {
          reward: 84000n,
          burned,
          broken: false,
          contract,
          fund: 8400n,
          federator: 112n,
          accounts: { m5: 16632n, ...accounts },
        });
      });
    }

    it("pays zero amounts, which creates accounts and logs", () => {
      const tested = run({ 7: 1 }, 0n);
      assert.equal(tested.payments.length, 7);
      assert.ok(tested.payments.every(({ amount }) => amount === 0n));
      assert.deepEqual(
        tested.payments.map(({ to }) => toHex(to)),
        [FUND, ...FEDERATORS, account("m7"), account("s0"), account("m6")].map(toHex),
      );
      for (const { to } of tested.payments) assert.ok(tested.state.exists(to));
    });
  });

  describe("with RSKIP-85 (§12.8)", () => {
    const keys = [...local.bridge.genesisFederation.publicKeys, main.bridge.genesisFederation.publicKeys[0]!];
    const four: NetworkConfig = {
      ...local,
      bridge: { ...local.bridge, genesisFederation: { ...local.bridge.genesisFederation, publicKeys: keys } },
    };

    const cases: [bigint, bigint, bigint, { reward: bigint; federation: bigint; fund: bigint; miner: bigint }][] = [
      [21000n, 0n, 10000n, { reward: 84000n, federation: 336n, fund: 8400n, miner: 16632n }],
      [21000n, 10000n, 50000n, { reward: 126000n, federation: 0n, fund: 0n, miner: 0n }],
      [210000n, 0n, 10n, { reward: 840000n, federation: 0n, fund: 84000n, miner: 166320n }],
      [210000n, 21000n, 10n, { reward: 840000n, federation: 0n, fund: 84000n, miner: 166320n }],
    ];
    for (const [fees, payOut, federator, expected] of cases) {
      it(`fees ${fees}, thresholds ${payOut} and ${federator}`, () => {
        const tested = new RewardChain(four, createRewardContract(genesisFederators(four), { payOut, federator }));
        for (let number = 1; number <= 16; number++) tested.add({ miner: `m${number}`, fees });
        assert.equal(tested.cell("rewardBalance"), expected.reward);
        assert.equal(tested.cell("federationBalance"), expected.federation);
        assert.equal(tested.balance(FUND), expected.fund);
        assert.equal(tested.balance("m5"), expected.miner);
        assert.equal(tested.balance("m6"), expected.miner);
      });
    }

    it("accumulates through blocks below the minimum", () => {
      const tested = new RewardChain(
        four,
        createRewardContract(genesisFederators(four), { payOut: 21000n, federator: 50000n }),
      );
      const fees = (number: number): bigint => {
        if (number >= 19) return 0n;
        return number === 16 || number === 18 ? 21000n : 210000n;
      };
      const rows: Record<number, [bigint, bigint, bigint, bigint]> = {
        15: [166320n, 840000n, 1680n, 42000n],
        24: [1663200n, 840000n, 16800n, 420000n],
        25: [1829520n, 840000n, 18480n, 462000n],
        26: [1829520n, 861000n, 18480n, 462000n],
        27: [1999167n, 856800n, 20193n, 504840n],
        28: [1999167n, 877800n, 20193n, 504840n],
      };
      for (let number = 1; number <= 28; number++) {
        tested.add({ miner: "cb", fees: fees(number) });
        const row = rows[number];
        if (row === undefined) continue;
        const seen = [tested.balance("cb"), tested.cell("rewardBalance"), tested.cell("federationBalance")];
        assert.deepEqual([...seen, tested.balance(FUND)], row, `block ${number}`);
      }
    });
  });

  it("pays main's fund to the address valid at the height (§12.9)", () => {
    for (const [height, address] of [
      [3614799, "14d3065c8eb89895f4df12450ec6b130049f8034"],
      [3614800, "dcb12179ba4697350f66224c959bdd9c282818df"],
    ] as const) {
      const state = emptyState();
      const call = recordCall({
        network: main,
        state,
        block: { number: height, ancestors: emptyAncestors },
        ...reward,
      });
      createRewardContract(genesisFederators(main)).execute(null, call.context);
      assert.equal(toHex(call.payments[0]!.to), address);
      assert.equal(call.payments.length, 17);
    }
  });

  it("costs nothing, whatever the data", () => {
    const { context } = recordCall({ network: local, state: emptyState() });
    assert.equal(createRewardContract(genesisFederators(local)).gas(fromHex("fafafafa"), context), 0);
  });

  describe("calls by other senders (§4.2, §12.10)", () => {
    const contract = createRewardContract(genesisFederators(local));
    const state = emptyState();
    const fails = (data: string | null, code: string, kind: "transaction" | "call" = "transaction"): void => {
      const { context } = recordCall({ network: local, state, call: { kind } });
      assert.throws(() => contract.execute(data === null ? null : fromHex(data), context), { code });
    };

    it("fail to process fees", () => {
      fails(null, "NOT_REWARD_TRANSACTION");
      fails("be021a58", "NOT_REWARD_TRANSACTION");
      fails("", "NOT_REWARD_TRANSACTION", "call");
    });

    it("fail with invalid data", () => {
      for (const data of ["000000", "be021a580000", "00000000", "fafafafa"]) fails(data, "INVALID_CALL");
    });

    it("may read the debug state, which writes the siblings cell (§5.3)", () => {
      const cell = (name: string): Uint8Array => leftPad(utf8(name), 32);
      const rows: [bigint, bigint, boolean, string][] = [
        [0n, 0n, false, "c48080c000"],
        [1n, 10n, true, "c4010ac001"],
        [84000n, 375n, false, "c983014820820177c000"],
        [123456789012345678901n, 2246n, true, "cf8906b14e9f812f366c358208c6c001"],
      ];
      for (const [reward, burned, broken, expected] of rows) {
        const stored = emptyState();
        const slot = (name: string): bigint => BigInt(`0x${toHex(cell(name))}`);
        stored.setStorage(REWARD_ADDRESS, slot("rewardBalance"), reward);
        stored.setStorage(REWARD_ADDRESS, slot("burnedBalance"), burned);
        if (broken) stored.setStorageBytes(REWARD_ADDRESS, cell("brokenSelectionRule"), Uint8Array.of(1));
        const { context } = recordCall({ network: local, state: stored, call: { kind: "staticcall" } });
        const output = contract.execute(fromHex("0d0cee93"), context)!;
        const length = expected.length / 2;
        assert.equal(
          toHex(output),
          `${"20".padStart(64, "0")}${length.toString(16).padStart(64, "0")}${expected.padEnd(64, "0")}`,
        );
        assert.deepEqual(stored.getStorageBytes(REWARD_ADDRESS, cell("siblings")), Uint8Array.of(0xc0));
      }
    });
  });

  it("keeps payments made before an ancestor was found missing (§4.5)", () => {
    const state = emptyState();
    const { context } = recordCall({ network: local, state, block: { number: 15 }, ...reward });
    assert.throws(() => createRewardContract(genesisFederators(local)).execute(null, context), {
      code: "MISSING_ANCESTOR",
    });
  });

  it("compares hashes as unsigned bytes", () => {
    assert.ok(compareBytes(Uint8Array.of(0x7f), Uint8Array.of(0x80)) < 0);
  });
});

const reward = { transaction: { isReward: true } };

const emptyAncestors = {
  hash: () => new Uint8Array(32),
  header: (number: number) =>
    ({ number, hash: new Uint8Array(32), coinbase: new Uint8Array(20), paidFees: 0n, uncleCount: 0 }) as never,
  uncles: () => [],
  totalDifficulty: () => undefined,
};
