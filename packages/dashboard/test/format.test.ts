import assert from "node:assert/strict";
import { byteCount, coins, decimal, grouped, gwei, percent, short } from "../web/format/numbers.js";
import { searched } from "../web/format/searched.js";
import { age, duration, utc } from "../web/format/time.js";

const COIN = 10n ** 18n;

describe("numbers on the page", () => {
  it("are exact as far as they are shown, and never zero by rounding", () => {
    assert.equal(coins(0n), "0");
    assert.equal(coins(COIN), "1");
    assert.equal(coins("0xde0b6b3a7640001", 18), "1.000000000000000001");
    assert.equal(coins(1n), "<0.000001");
    assert.deepEqual([coins(1n, 0), coins(COIN, 0)], ["<1", "1"]);
    assert.equal(coins(-COIN / 2n), "-0.5");
    assert.equal(coins(21_000_000n * COIN + COIN / 4n), "21,000,000.25");
    assert.equal(gwei(60_000_000n), "0.06");
    assert.equal(decimal(1234n, 0, 6), "1,234");
    assert.equal(decimal(123_456_789n, 8, 8), "1.23456789");
  });

  it("are short where they are large", () => {
    assert.deepEqual([0, 5, 999, 1_000, 12_345, 1_234_567].map(short), ["0", "5", "999", "1 k", "12.3 k", "1.23 M"]);
    assert.deepEqual([0, 999, 1_500, 123_456_789].map(byteCount), ["0 B", "999 B", "1.5 kB", "123 MB"]);
    assert.equal(grouped(2n ** 64n), "18,446,744,073,709,551,616");
    assert.deepEqual([percent(1, 3), percent(0, 0)], ["33.3 %", "0 %"]);
  });

  it("are times with two units", () => {
    assert.deepEqual([-5, 0, 59, 61, 3_600, 90_061].map(duration), [
      "0 s",
      "0 s",
      "59 s",
      "1 min 1 s",
      "1 h",
      "1 d 1 h",
    ]);
    assert.equal(age(100, 160), "1 min ago");
    assert.equal(utc(0), "1970-01-01 00:00:00 UTC");
    assert.equal(utc(1e300), "1e+300");
  });
});

describe("the search box", () => {
  it("recognises numbers, hashes and addresses, and nothing else", () => {
    const hash = "ab".repeat(32);
    const address = "Cd".repeat(20);
    assert.deepEqual(searched(" 1,234 "), { kind: "block", value: "1234" });
    assert.deepEqual(searched("0x10"), { kind: "block", value: "16" });
    for (const text of [hash, `0x${hash}`, hash.toUpperCase()]) {
      assert.deepEqual(searched(text), { kind: "hash", value: `0x${hash}` });
    }
    assert.deepEqual(searched(`0x${address}`), { kind: "address", value: `0x${address.toLowerCase()}` });
    for (const text of ["", "name", "-1", "1.5", "0x", `${hash}00`, "<b>"])
      assert.equal(searched(text), undefined, text);
  });
});
