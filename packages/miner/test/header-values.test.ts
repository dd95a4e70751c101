import assert from "node:assert/strict";
import { gasLimitRange } from "@cambium/chain";
import { fromHex, toHex, utf8 } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { LOCAL_MINER_SECRET, rewardAddress } from "../src/index.js";
import { extraData } from "../src/templates/extra-data.js";
import { nextGasLimit } from "../src/templates/gas-limit.js";
import { nextMinimumGasPrice } from "../src/templates/minimum-gas-price.js";
import { addressOfSecret } from "../src/templates/reward-address.js";
import { nextTimestamp } from "../src/templates/timestamp.js";
import { codeOf } from "./support.js";

describe("gas limit of the next block", () => {
  const target = 6_800_000n;
  // parent limit, parent used, minimum, target, force, result: `spec/02 §11.2`
  const rows: [bigint, bigint, bigint, bigint, boolean, bigint][] = [
    [3021000n, 0n, 3000000n, target, false, 3018050n],
    [3000000n, 0n, 3000000n, target, false, 3000000n],
    [3500000n, 3000000n, 0n, target, false, 3500977n],
    [3500000n, 3500000n, 0n, target, false, 3501709n],
    [6800000n, 6800000n, 0n, target, false, 6800000n],
    [3000000n, 12345n, 3000000n, target, true, 3002929n],
    [3000000n, 0n, 3000000n, 3000001n, true, 3000001n],
    [3000002n, 0n, 3000000n, 3000001n, true, 3000001n],
    [3000001n, 0n, 3000000n, 2999999n, true, 3000000n],
    [13600000n, 0n, 3000000n, target, true, 13586719n],
  ];
  for (const [limit, used, minimum, wanted, force, expected] of rows) {
    it(`${limit} after ${used} used, towards ${wanted}${force ? ", forced" : ""}`, () => {
      assert.equal(nextGasLimit(limit, used, { target: wanted, force, minimum }), expected);
    });
  }

  it("is that of the parent without a policy", () => {
    assert.equal(nextGasLimit(10_000_000n, 6_000_000n, undefined), 10_000_000n);
  });

  it("always stays within the limits of validation", () => {
    const gas = fc.bigInt({ min: 3_000_000n, max: 1_000_000_000n });
    fc.assert(
      fc.property(gas, fc.bigInt({ min: 0n, max: 1_000_000_000n }), gas, fc.boolean(), (limit, used, wanted, force) => {
        const next = nextGasLimit(limit, used, { target: wanted, force });
        const { lowest, highest } = gasLimitRange(limit);
        return next >= lowest && next <= highest && next >= 3_000_000n;
      }),
    );
  });
});

describe("minimum gas price of the next block", () => {
  // parent, target, result: `spec/02 §11.3`
  const rows: [bigint, bigint, bigint][] = [
    [1000n, 2000n, 1010n],
    [1000n, 900n, 990n],
    [1000n, 995n, 995n],
    [1000n, 1000n, 1000n],
    [0n, 1000n, 1n],
    [1n, 0n, 0n],
    [0n, -100n, 0n],
  ];
  for (const [parent, wanted, expected] of rows) {
    it(`${parent} towards ${wanted}`, () => assert.equal(nextMinimumGasPrice(parent, wanted), expected));
  }
});

describe("timestamp of the next block", () => {
  it("is capped at 64 bits", () => {
    const last = 2n ** 63n - 1n;
    assert.equal(nextTimestamp({ now: 5, parentTimestamp: last - 1n, adjustment: 0 }), last);
    assert.equal(nextTimestamp({ now: 5, parentTimestamp: last, adjustment: 0 }), last);
    assert.equal(nextTimestamp({ now: 5, parentTimestamp: last, adjustment: 7, isFixed: true }), last);
  });

  const now = 1_700_000_000.75;
  it("stands still on a fixed clock", () => {
    assert.equal(nextTimestamp({ now, parentTimestamp: 54n, adjustment: 0, isFixed: true }), 54n);
    assert.equal(nextTimestamp({ now, parentTimestamp: 33n, adjustment: 5392, isFixed: true }), 5425n);
    assert.equal(nextTimestamp({ now, parentTimestamp: 33n, adjustment: 0, isFixed: true }), 33n);
  });

  it("is the current time, but after the parent", () => {
    assert.equal(nextTimestamp({ now, parentTimestamp: 1_700_000_000n, adjustment: 0 }), 1_700_000_001n);
    assert.equal(nextTimestamp({ now, parentTimestamp: 33n, adjustment: 5392 }), 1_700_005_392n);
  });
});

describe("extra data", () => {
  it("names the builder", () => {
    assert.equal(toHex(extraData("IRIS-ba01ea2")), "ce018c495249532d62613031656132");
  });

  it("truncates the operator's data", () => {
    const data = extraData("IRIS-ba01ea2", utf8("a pool with a name that is far too long"));
    assert.equal(data.length, 32);
    assert.equal(toHex(data).slice(0, 30), "df018c495249532d62613031656132");
    assert.equal(extraData("x".repeat(28)).length, 31);
    for (let length = 2; length <= 28; length++) {
      assert(extraData("x".repeat(length), new Uint8Array(40).fill(0xff)).length <= 32);
    }
  });

  it("rejects an identity that is too long", async () => {
    assert.equal(await codeOf(() => extraData("x".repeat(29))), "OPTION");
  });
});

describe("reward address", () => {
  const address = fromHex("11".repeat(20));

  it("is derived from a secret", () => {
    assert.equal(toHex(addressOfSecret(LOCAL_MINER_SECRET)), "ec4ddeb4380ad69b3e509baad9f158cdf4e4681d");
    assert.equal(toHex(rewardAddress({}, true)), "ec4ddeb4380ad69b3e509baad9f158cdf4e4681d");
    assert.deepEqual(rewardAddress({ secret: "a" }, false), addressOfSecret("a"));
  });

  it("prefers an address on local networks, and requires exactly one of the two elsewhere", async () => {
    assert.deepEqual(rewardAddress({ address, secret: "a" }, true), address);
    assert.deepEqual(rewardAddress({ address }, false), address);
    assert.equal(await codeOf(() => rewardAddress({ address, secret: "a" }, false)), "OPTION");
    assert.equal(await codeOf(() => rewardAddress({}, false)), "OPTION");
    assert.equal(await codeOf(() => rewardAddress({ address: new Uint8Array(19) }, true)), "OPTION");
  });
});
