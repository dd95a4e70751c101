import assert from "node:assert/strict";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { bigintToBytes } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { FREE_STEPS, gasLimitStepRule, minimumGasPriceStepRule } from "../../src/rules/free-steps.js";
import { gasLimitMinimum, gasLimitRange, gasLimitStep } from "../../src/rules/gas-limit.js";
import { difficulty, extraDataSize, notGenesis, parentNumber } from "../../src/rules/header.js";
import { minimumGasPriceRange, minimumGasPriceStep } from "../../src/rules/minimum-gas-price.js";
import { timestamp, timestampAfterParent } from "../../src/rules/timestamp.js";
import { codeOf, faultOf, header, parentChainHeader } from "../support.js";

const { main, test, local } = NETWORKS;

describe("number", () => {
  it("must not be that of genesis", () => {
    assert.equal(
      codeOf(() => notGenesis({ number: 0 })),
      "GENESIS_NUMBER",
    );
    assert.equal(
      codeOf(() => notGenesis({ number: 1 })),
      undefined,
    );
  });

  it("is the parent's plus one", () => {
    assert.equal(
      codeOf(() => parentNumber({ number: 8 }, { number: 7 })),
      undefined,
    );
    for (const number of [6, 7, 9]) {
      const fault = faultOf(() => parentNumber({ number }, { number: 7 }));
      assert.deepEqual(fault, { code: "PARENT_NUMBER", expected: 8, actual: number });
    }
  });
});

describe("gas limit", () => {
  const withLimit = (limit: bigint) => ({ gasLimit: bigintToBytes(limit) });

  // spec/02 §11.2
  const ranges: [bigint, bigint, bigint][] = [
    [3000000n, 2997070n, 3002929n],
    [6800000n, 6793359n, 6806640n],
    [6800001n, 6793360n, 6806641n],
    [7000003n, 6993167n, 7006838n],
  ];
  for (const [parent, lowest, highest] of ranges) {
    it(`after ${parent}`, () => {
      assert.deepEqual(gasLimitRange(parent), { lowest, highest });
      const code = (limit: bigint) => codeOf(() => gasLimitStep(withLimit(limit), withLimit(parent)));
      assert.deepEqual([lowest - 1n, lowest, highest, highest + 1n].map(code), [
        "GAS_LIMIT_STEP",
        undefined,
        undefined,
        "GAS_LIMIT_STEP",
      ]);
    });
  }

  it("reads the number, however many leading zeros it has", () => {
    const padded = { gasLimit: new Uint8Array([0, 0, 0, 0, 0, 0, 0x67, 0xc2, 0x80]) };
    assert.equal(
      codeOf(() => gasLimitStep(padded, withLimit(6800000n))),
      undefined,
    );
    assert.equal(
      codeOf(() => gasLimitStep({ gasLimit: new Uint8Array(0) }, withLimit(6800000n))),
      "GAS_LIMIT_STEP",
    );
  });

  it("is at least three millions", () => {
    assert.equal(
      codeOf(() => gasLimitMinimum(withLimit(3000000n))),
      undefined,
    );
    assert.equal(
      codeOf(() => gasLimitMinimum(withLimit(2999999n))),
      "GAS_LIMIT_MINIMUM",
    );
  });
});

describe("minimum gas price", () => {
  // spec/02 §11.3
  const ranges: [bigint, bigint, bigint][] = [
    [0n, 0n, 1n],
    [1n, 0n, 2n],
    [10n, 9n, 11n],
    [199n, 198n, 200n],
    [1000n, 990n, 1010n],
    [59240000n, 58647600n, 59832400n],
    [183000000n, 181170000n, 184830000n],
  ];
  for (const [parent, lowest, highest] of ranges) {
    it(`after ${parent}`, () => {
      assert.deepEqual(minimumGasPriceRange(parent), { lowest, highest });
      const code = (minimumGasPrice: bigint) =>
        codeOf(() => minimumGasPriceStep({ minimumGasPrice }, { minimumGasPrice: parent }));
      assert.deepEqual([lowest - 1n, lowest, highest, highest + 1n, 1050n * (parent + 1n)].map(code), [
        "MINIMUM_GAS_PRICE_STEP",
        undefined,
        undefined,
        "MINIMUM_GAS_PRICE_STEP",
        "MINIMUM_GAS_PRICE_STEP",
      ]);
    });
  }

  it("must be present", () => {
    const absent = { minimumGasPrice: null };
    assert.equal(
      codeOf(() => minimumGasPriceStep(absent, { minimumGasPrice: 0n })),
      "MINIMUM_GAS_PRICE_STEP",
    );
  });

  it("may stay unchanged", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 128n), (minimumGasPrice) => {
        minimumGasPriceStep({ minimumGasPrice }, { minimumGasPrice });
      }),
    );
  });
});

describe("difficulty rule", () => {
  it("compares with the formula, treating an absent difficulty as 0", () => {
    const parent = header({ number: 1, difficulty: 2048n, timestamp: 0n });
    const child = (value: bigint | null) => header({ number: 2, difficulty: value, timestamp: 5n });
    assert.equal(
      codeOf(() => difficulty(child(2049n), parent, local)),
      undefined,
    );
    assert.deepEqual(
      faultOf(() => difficulty(child(2050n), parent, local)),
      { code: "DIFFICULTY", expected: 2049n, actual: 2050n },
    );
    assert.equal(
      codeOf(() => difficulty(child(null), parent, local)),
      "DIFFICULTY",
    );
  });
});

describe("extra data", () => {
  it("has at most 32 bytes", () => {
    for (const length of [0, 32])
      assert.equal(
        codeOf(() => extraDataSize({ extraData: new Uint8Array(length) })),
        undefined,
      );
    assert.equal(
      codeOf(() => extraDataSize({ extraData: new Uint8Array(33) })),
      "EXTRA_DATA_SIZE",
    );
  });
});

describe("timestamp", () => {
  const now = 10_000;
  const at = (time: number, parentChainTime: number | null, number: number) => ({
    number,
    timestamp: BigInt(time),
    parentChainHeader: parentChainTime === null ? null : parentChainHeader(parentChainTime),
  });
  const code = (time: number, parentChainTime: number | null, number: number, network: NetworkConfig) =>
    codeOf(() => timestamp(at(time, parentChainTime, number), network, now));

  // spec/02 §11.4, before RSKIP-179
  it("is at most the valid period ahead of the clock", () => {
    assert.equal(code(9000, null, 100, test), undefined);
    assert.equal(code(10540, null, 100, test), undefined);
    assert.equal(code(10541, null, 100, test), "TIMESTAMP_FUTURE");
    assert.equal(code(11080, null, 100, test), "TIMESTAMP_FUTURE");
    assert.equal(code(10060, null, 100, main), undefined);
    assert.equal(code(10061, null, 100, main), "TIMESTAMP_FUTURE");
  });

  it("truncates the clock to seconds", () => {
    assert.equal(
      codeOf(() => timestamp(at(10060, null, 100), main, 10_000.999)),
      undefined,
    );
    assert.equal(
      codeOf(() => timestamp(at(10061, null, 100), main, 10_000.999)),
      "TIMESTAMP_FUTURE",
    );
  });

  it("is close to the parent-chain header's since RSKIP-179", () => {
    const pairs: [number, number, boolean][] = [
      [1000, 1000, true],
      [1000, 1300, false],
      [1001, 1300, true],
      [1300, 1001, true],
      [1300, 1000, false],
    ];
    for (const [time, parentChainTime, accepted] of pairs) {
      const expected = accepted ? undefined : "TIMESTAMP_PARENT_CHAIN";
      assert.equal(code(time, parentChainTime, 3_614_800, main), expected);
      assert.equal(code(time, parentChainTime, 8_804_200, main), expected);
      assert.equal(code(time, parentChainTime, 3_614_799, main), undefined);
      assert.equal(code(time, parentChainTime, 3_102_999, test), expected);
    }
    assert.equal(code(1000, null, 3_614_800, main), "TIMESTAMP_PARENT_CHAIN");
  });

  it("may differ more from it on the test network since RSKIP-297", () => {
    assert.equal(code(1000, 8199, 3_103_000, test), undefined);
    assert.equal(code(1000, 8200, 3_103_000, test), "TIMESTAMP_PARENT_CHAIN");
    assert.equal(code(1000, 8199, 5_000_000, main), "TIMESTAMP_PARENT_CHAIN");
  });

  it("reads the parent-chain time as unsigned", () => {
    assert.equal(
      codeOf(() => timestamp(at(0xfffffff0, 0xffffffff, 4_000_000), main, 0xfffffff0)),
      undefined,
    );
  });

  it("is later than the parent's for uncles and relay", () => {
    const codeAfter = (time: number, parent: number, network: NetworkConfig) =>
      codeOf(() => timestampAfterParent({ timestamp: BigInt(time) }, { timestamp: BigInt(parent) }, network));
    assert.equal(codeAfter(10000, 11000, test), "TIMESTAMP_PARENT");
    assert.equal(codeAfter(10000, 10000, test), "TIMESTAMP_PARENT");
    assert.equal(codeAfter(10000, 9000, test), undefined);
  });

  it("is not restricted on a network without a valid period", () => {
    assert.equal(code(99_999_999, null, 100, local), undefined);
    assert.equal(
      codeOf(() => timestampAfterParent({ timestamp: 1n }, { timestamp: 2n }, local)),
      undefined,
    );
  });
});

describe("free steps", () => {
  const parent = { extraData: FREE_STEPS, gasLimit: bigintToBytes(6_800_000n), minimumGasPrice: 0n };
  const far = { extraData: FREE_STEPS, gasLimit: bigintToBytes(30_000_000n), minimumGasPrice: 60_000_000n };
  const codes = (header: typeof far, network: NetworkConfig) => [
    codeOf(() => gasLimitStepRule(header, parent, network)),
    codeOf(() => minimumGasPriceStepRule(header, parent, network)),
  ];

  it("exempt marked blocks on networks for development only", () => {
    assert.deepEqual(codes(far, local), [undefined, undefined]);
    assert.deepEqual(codes(far, NETWORKS.dev), [undefined, undefined]);
    const refused = ["GAS_LIMIT_STEP", "MINIMUM_GAS_PRICE_STEP"];
    assert.deepEqual(codes({ ...far, extraData: FREE_STEPS.slice(1) }, local), refused);
    for (const network of [main, test, { ...local, chainId: 30 }, { ...local, chainId: 31 }]) {
      assert.deepEqual(codes(far, network), refused);
    }
    assert.deepEqual(codes(far, { ...local, isForDevelopment: false }), refused);
  });
});
