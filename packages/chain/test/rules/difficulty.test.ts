import assert from "node:assert/strict";
import { isActive, NETWORKS, type NetworkConfig } from "@cambium/config";
import { calcDifficulty } from "../../src/index.js";

const { main, test, local } = NETWORKS;

interface Case {
  network?: NetworkConfig;
  number: number;
  parent: bigint;
  delta: number;
  uncles?: number;
}

function calc({ network = main, number, parent, delta, uncles = 0 }: Case): bigint {
  return calcDifficulty(
    { number, timestamp: BigInt(10_000 + delta), uncleCount: uncles },
    { timestamp: 10_000n, difficulty: parent },
    network,
  );
}

// spec/02 §11.1; main, RSKIP-97 on, before and after RSKIP-156, without the minimum
const DIVISORS: [bigint, number, bigint, bigint][] = [
  [10000000000000000n, 1, 10200000000000000n, 10025000000000000n],
  [10000000000000000n, 18, 9800000000000000n, 9975000000000000n],
  [16570697387073050537n, 0, 16902111334814511547n, 16612124130540733163n],
  [12234365641502524068n, 0, 12479052954332574549n, 12264951555606280378n],
  [2640077543741339490n, 0, 2692879094616166279n, 2646677737600692838n],
  [15140543413006522614n, 0, 15443354281266653066n, 15178394771539038920n],
  [8308564881149713417n, 0, 8474736178772707685n, 8329336293352587700n],
  [12746136414225040000n, 0, 13001059142509540800n, 12778001755260602600n],
  [18007267190779657245n, 0, 18367412534595250389n, 18052285358756606388n],
  [1348611533379008342n, 0, 1375583764046588508n, 1351983062212455862n],
];

const BEFORE_97 = 700_000;
const BEFORE_156 = 2_392_699;
const SINCE_156 = 2_392_700;

describe("difficulty", () => {
  for (const [parent, delta, by50, by400] of DIVISORS) {
    it(`${parent} after ${delta} s`, () => {
      assert.equal(calc({ number: BEFORE_156, parent, delta }), by50);
      assert.equal(calc({ number: SINCE_156, parent, delta }), by400);
    });
  }

  const cases: [string, Case, bigint][] = [
    ["main, before RSKIP-97, 600 s", { number: BEFORE_97, parent: 9000000000000000n, delta: 600 }, 7000000000000000n],
    ["main, before RSKIP-97, 599 s", { number: BEFORE_97, parent: 9000000000000000n, delta: 599 }, 8820000000000000n],
    ["main, RSKIP-97, 600 s", { number: BEFORE_156, parent: 9000000000000000n, delta: 600 }, 8820000000000000n],
    ["main, on target", { number: SINCE_156, parent: 9000000000000000n, delta: 14 }, 9000000000000000n],
    [
      "below target with an uncle",
      { number: SINCE_156, parent: 9000000000000000n, delta: 27, uncles: 1 },
      9022500000000000n,
    ],
    [
      "on target with an uncle",
      { number: SINCE_156, parent: 9000000000000000n, delta: 28, uncles: 1 },
      9000000000000000n,
    ],
    [
      "above target with an uncle",
      { number: SINCE_156, parent: 9000000000000000n, delta: 29, uncles: 1 },
      8977500000000000n,
    ],
    ["same second", { number: SINCE_156, parent: 9000000000000000n, delta: 0 }, 9022500000000000n],
    ["earlier than the parent", { number: SINCE_156, parent: 9000000000000000n, delta: -10 }, 9000000000000000n],
    ["not below the minimum", { number: SINCE_156, parent: 7001000000000000n, delta: 100 }, 7000000000000000n],
    ["below the minimum but on target", { number: SINCE_156, parent: 1048576n, delta: 14 }, 1048576n],
    ["below the minimum and moving", { number: SINCE_156, parent: 1048576n, delta: 100 }, 7000000000000000n],
    ["test, reset", { network: test, number: 2_581_799, parent: 5000000n, delta: 600 }, 131072n],
    ["test, reset upwards", { network: test, number: 2_581_800, parent: 5000000n, delta: 600 }, 550000000n],
    ["test, RSKIP-290 minimum", { network: test, number: 2_581_800, parent: 5000000n, delta: 10 }, 550000000n],
    ["test, reference case", { network: test, number: 2_581_800, parent: 217814953n, delta: 0 }, 550000000n],
    ["local, reference case", { network: local, number: 5, parent: 2048n, delta: 10, uncles: 1 }, 2049n],
    ["local, difficulty 1 stays", { network: local, number: 5, parent: 1n, delta: 5 }, 1n],
    ["local, slower", { network: local, number: 5, parent: 2048n, delta: 11 }, 2047n],
  ];
  for (const [name, input, expected] of cases) {
    it(name, () => assert.equal(calc(input), expected));
  }

  it("follows from the parent of main's block 9 236 893, not from the block before", () => {
    const before = { number: 9_236_891, parent: 6_661_282_993_281_678_603_550n, time: 1_789_321_796 };
    const parent = { number: 9_236_892, parent: 6_677_936_200_764_882_800_058n, time: 1_789_321_823, uncles: 1 };
    const difficultyAfter = (
      from: typeof before,
      { number, time, uncles }: { number: number; time: number; uncles: number },
    ) => calc({ number, parent: from.parent, delta: time - from.time, uncles });
    const block = { number: 9_236_893, time: 1_789_321_830, uncles: 0 };
    assert.equal(difficultyAfter(before, parent), parent.parent);
    assert.equal(difficultyAfter(parent, block), 6_694_631_041_266_795_007_058n);
    assert.equal(difficultyAfter(before, block), 6_644_629_785_798_474_407_042n);
  });

  it("overflows the target in 32 bits", () => {
    // (1 + 153391689) * 14 = 2147483660 = -2147483636 in 32 bits: any delta is above that target
    assert.equal(
      calc({ number: SINCE_156, parent: 9000000000000000n, delta: 0, uncles: 153391689 }),
      8977500000000000n,
    );
    assert.equal(
      calc({ number: SINCE_156, parent: 9000000000000000n, delta: 0, uncles: 153391688 }),
      9022500000000000n,
    );
    assert.equal(
      calc({ number: SINCE_156, parent: 9000000000000000n, delta: 0, uncles: 2147483647 }),
      9000000000000000n,
    );
  });

  it("falls back to the minimum near the end of 64 bits, where ten minutes after the parent overflow", () => {
    const last = 2n ** 63n - 1n;
    const after = (timestamp: bigint, parent: bigint) =>
      calcDifficulty({ number: 5, timestamp, uncleCount: 0 }, { timestamp: parent, difficulty: 9000n }, local);
    assert.equal(after(0n, last - 600n), 9000n);
    assert.equal(after(0n, last - 599n), local.consensus.minimumDifficulty);
    assert.equal(after(last, last), local.consensus.minimumDifficulty);
  });

  it("counts an absent parent difficulty as 0", () => {
    const parent = { timestamp: 0n, difficulty: null };
    assert.equal(calcDifficulty({ number: 5, timestamp: 10n, uncleCount: 0 }, parent, local), 0n);
  });

  // spec/02 §4.2: RSKIP-290 is active on main by its table, but has no effect there
  it("keeps the minimum of main", () => {
    assert.equal(isActive(main, "rskip290", 5_000_000), true);
    assert.equal(calc({ number: 5_000_000, parent: 7000000000000000n, delta: 100 }), 7000000000000000n);
  });
});
