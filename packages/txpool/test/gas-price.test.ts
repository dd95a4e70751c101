import assert from "node:assert/strict";
import { numberToBytes } from "@cambium/primitives";
import { shortestDecimal } from "../src/gas-price/decimal.js";
import { PlainPercentile, WeightedPercentile, weightedPercentile } from "../src/gas-price/percentile.js";
import { GasPriceTracker, priceOverMinimum } from "../src/gas-price/tracker.js";
import { FakeChain, MINIMUM_GAS_PRICE, setting, signed } from "./support.js";

const GIGA = 10n ** 9n;
const options = {
  gasPriceCalculator: "plain-percentile" as const,
  gasPriceMultiplier: 1.1,
  minGasPriceMultiplier: 1.1,
};

describe("gas price", () => {
  it("multiplies the minimum in doubles and truncates the shortest decimal form", () => {
    assert.equal(priceOverMinimum(59_240_000n, 1.1), 65_164_000n);
    assert.equal(priceOverMinimum(60_000_000n, 1.1), 66_000_000n);
    assert.equal(priceOverMinimum(123_456_789_012_345_678_901n, 1.1), 135_802_467_913_580_270_000n);
    assert.equal(priceOverMinimum(0n, 1.1), 0n);
  });

  it("parses shortest decimal forms exactly", () => {
    assert.deepEqual(shortestDecimal(1.1), { numerator: 11n, denominator: 10n });
    assert.deepEqual(shortestDecimal(1e23), { numerator: 10n ** 23n, denominator: 1n });
    assert.deepEqual(shortestDecimal(2.5e-8), { numerator: 25n, denominator: 10n ** 9n });
    assert.deepEqual(shortestDecimal(1.25e21), { numerator: 125n * 10n ** 19n, denominator: 1n });
  });

  it("takes the lower quartile of the last 512 prices, and caches it until the window has wrapped", () => {
    const plain = new PlainPercentile();
    for (let i = 0n; i < 511n; i++) plain.add(i * GIGA);
    assert.equal(plain.price(), undefined);
    plain.add(511n * GIGA);
    assert.equal(plain.price(), 128n * GIGA);
    for (let i = 0; i < 513; i++) plain.add(2n * GIGA);
    assert.equal(plain.price(), 2n * GIGA);
    for (let i = 0; i < 507; i++) plain.add(10n * GIGA);
    assert.equal(plain.price(), 2n * GIGA);
  });

  it("weights prices by gas", () => {
    const rows = [
      [100, 1],
      [200, 3],
      [300, 1],
      [500, 10],
      [400, 1],
      [700, 2],
      [600, 4],
      [800, 1],
    ];
    const entries = rows.map(([gasPrice, gasUsed]) => ({ gasPrice: BigInt(gasPrice!), gasUsed: gasUsed! }));
    const percentiles = [0, 1, 20.2, 40, 50, 75, 90, 100];
    assert.deepEqual(
      percentiles.map((percentile) => weightedPercentile(entries, percentile)),
      [100n, 100n, 300n, 500n, 500n, 600n, 700n, 800n],
    );
  });

  it("recomputes the weighted price after more than 512 entries", () => {
    const weighted = new WeightedPercentile();
    assert.equal(weighted.price(), undefined);
    weighted.add(5n, undefined);
    weighted.add(5n, 0);
    assert.equal(weighted.price(), undefined);
    weighted.add(7n, 1);
    assert.equal(weighted.price(), 7n);
    for (let i = 0; i < 511; i++) weighted.add(9n, 1);
    assert.equal(weighted.price(), 7n);
    weighted.add(9n, 1);
    assert.equal(weighted.price(), 9n);
  });

  it("bounds the market's price from below by the best block's minimum", () => {
    const prices: [number, bigint][] = [
      [1.1, 55n * GIGA],
      [1.05, (525n * GIGA) / 10n],
    ];
    for (const [gasPriceMultiplier, expected] of prices) {
      const chain = new FakeChain(new Map());
      const tracker = new GasPriceTracker({ ...options, gasPriceMultiplier }, chain.asPoolChain);
      assert.equal(tracker.marketPrice(), 20n * GIGA);
      const transactions = Array.from({ length: 512 }, (_, i) =>
        signed("A", { nonce: BigInt(i), gasPrice: 40n * GIGA }),
      );
      const block = chain.extend({ transactions, minimumGasPrice: 50n * GIGA });
      tracker.addBlock(block.header);
      tracker.setBest(block.header);
      assert.equal(tracker.marketPrice(), expected);
    }
  });

  it("falls back to the last imported block's minimum", () => {
    const chain = new FakeChain(new Map());
    const tracker = new GasPriceTracker(options, chain.asPoolChain);
    tracker.addBlock(chain.make(chain.head, { minimumGasPrice: 77n }).header);
    assert.equal(tracker.marketPrice(), 77n);
  });

  it("detects a fee market in 50 blocks that are 90 per cent full", () => {
    for (const [gasUsed, isWorking] of [
      [6_121_000, true],
      [6_119_000, false],
    ] as const) {
      const { chain, pool } = setting([]);
      const tracker = new GasPriceTracker(options, chain.asPoolChain);
      const gasLimit = numberToBytes(6_800_000);
      for (let i = 0; i < 50; i++) {
        assert.equal(tracker.isFeeMarketWorking, false);
        tracker.addBlock(chain.extend({ gasUsed, gasLimit }).header);
      }
      assert.equal(tracker.isFeeMarketWorking, isWorking);
      // fewer than 512 transactions are known, so the market's price is the minimum itself
      assert.equal(pool.gasPrice(), isWorking ? MINIMUM_GAS_PRICE : (MINIMUM_GAS_PRICE * 11n) / 10n);
    }
  });

  it("loads recent blocks at start", () => {
    const chain = new FakeChain(new Map());
    for (let i = 0; i < 60; i++) {
      const transactions = Array.from({ length: 10 }, (_, j) =>
        signed("A", { nonce: BigInt(10 * i + j), gasPrice: 3n * GIGA }),
      );
      chain.extend({ transactions, gasUsed: 6_800_000 });
    }
    const tracker = new GasPriceTracker(options, chain.asPoolChain);
    tracker.start();
    assert.equal(tracker.isFeeMarketWorking, true);
    assert.equal(tracker.price(0n), 3n * GIGA);
  });
});
