import assert from "node:assert/strict";
import { bigintToBytes, bytesToBigint, concatBytes, toHex } from "@cambium/primitives";
import { cpuTime } from "@cambium/test-utils/processes/cpu-time";
import { fc, runs } from "@cambium/test-utils/properties";
import { modularPower } from "../../src/precompiles/modular-power.js";
import { gas, run, word } from "./support.js";

const P = 2n ** 256n - 2n ** 32n - 977n;

function naivePower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n % modulus;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

describe("MODEXP (spec/04 §6.3)", () => {
  it("prices and computes the known cases", () => {
    const fermat = `${word(1) + word(32) + word(32)}03${word(P - 1n) + word(P)}`;
    assert.equal(gas("MODEXP", fermat), 13056);
    assert.equal(run("MODEXP", fermat), word(1));
    assert.equal(gas("MODEXP", `${word(1)}${word(2)}${word(32)}03ffff80`), 768);
    assert.equal(gas("MODEXP", ""), 0);
    assert.equal(gas("MODEXP", null), 0);
    assert.equal(run("MODEXP", ""), "");
    assert.equal(run("MODEXP", null), "");
  });

  it("caps prices that no call can pay", () => {
    const saturating = [
      word(0) + word(32) + word(2n ** 256n - 1n) + word(2n ** 256n - 2n) + word(2n ** 256n - 3n),
      "ff".repeat(96),
      `${word(32)}${word(2n ** 125n)}${word(2n ** 256n - 1n)}${"00".repeat(64)}`,
    ];
    for (const data of saturating) assert.equal(gas("MODEXP", data), Number.MAX_SAFE_INTEGER);
  });

  it("reads missing input as zeros and ignores trailing input", () => {
    // 2 ^ 80 00 (the second exponent byte is missing); the modulus is missing as well.
    assert.equal(run("MODEXP", `${word(1)}${word(2)}${word(1)}0280`), "00");
    assert.equal(run("MODEXP", `${word(1)}${word(1)}${word(2)}030201`), word(9).slice(-4));
    assert.equal(run("MODEXP", `${word(1)}${word(1)}${word(1)}0302050a0b`), "04");
  });

  it("gives empty output for offsets beyond 32 bits and zeros for modulus 0", () => {
    assert.equal(run("MODEXP", `${word(2n ** 31n)}${word(1)}${word(1)}030205`), "");
    assert.equal(run("MODEXP", `${word(1)}${word(2n ** 31n - 97n)}${word(1)}030205`), "");
    assert.equal(run("MODEXP", `${word(1)}${word(1)}${word(3)}0302000000`), "000000");
    assert.equal(run("MODEXP", `${word(0)}${word(2n ** 200n)}${word(0)}`), "");
  });

  it("agrees with square-and-multiply", () => {
    const number = fc.uint8Array({ maxLength: 40 }).map(bytesToBigint);
    const modulus = fc
      .oneof(number, fc.bigInt(1n, 2n ** 26n + 5n), fc.bigInt(1n, 2n ** 50n))
      .map((value) => value || 1n);
    fc.assert(
      fc.property(number, fc.uint8Array({ maxLength: 30 }), modulus, (base, exponent, m) => {
        assert.equal(modularPower(base, exponent, m), naivePower(base, bytesToBigint(exponent), m));
      }),
      { numRuns: runs(500) },
    );
  });

  it("agrees at the largest modulus of fast arithmetic", () => {
    const exponent = fc.uint8Array({ minLength: 1, maxLength: 40 });
    const modulus = fc.bigInt(2n ** 50n - 2n ** 20n, 2n ** 50n + 2n ** 20n);
    fc.assert(
      fc.property(fc.bigInt(2n, 2n ** 50n), exponent, modulus, (base, e, m) => {
        assert.equal(modularPower(base, e, m), naivePower(base, bytesToBigint(e), m));
        assert.equal(modularPower(m - 1n, e, m), naivePower(m - 1n, bytesToBigint(e), m));
      }),
      { numRuns: runs(500) },
    );
    for (const m of [2n ** 50n - 27n, 2n ** 50n - 1n, 2n ** 50n, 2n ** 50n + 1n]) {
      for (const base of [2n, m - 1n, m - 2n, m / 2n, m / 2n + 1n, 2n ** 49n]) {
        assert.equal(modularPower(base, Uint8Array.of(0xff, 0xff), m), naivePower(base, 0xffffn, m));
      }
    }
  });

  it("agrees where the exponent of a small modulus is reduced", () => {
    const exponent = fc.oneof(
      fc.uint8Array({ minLength: 5, maxLength: 30 }),
      fc.uint8Array({ minLength: 200, maxLength: 230 }),
    );
    fc.assert(
      fc.property(
        fc.nat(2 ** 27),
        exponent,
        fc.nat(8),
        fc.integer({ min: 1, max: 2 ** 26 + 3 }),
        (base, e, zeros, m) => {
          const whole = concatBytes(e, new Uint8Array(zeros));
          const expected = naivePower(BigInt(base), bytesToBigint(whole), BigInt(m));
          assert.equal(modularPower(BigInt(base), whole, BigInt(m)), expected);
        },
      ),
      { numRuns: runs(150) },
    );
    // Prime powers with the highest multiplicities.
    for (const m of [2n ** 25n, 3n ** 16n, 2n ** 13n * 3n ** 7n, 67108859n]) {
      for (const base of [2n, 3n, 6n, 12345n]) {
        const e = 256n ** 600n + 77n;
        assert.equal(modularPower(base, bigintToBytes(e), m), naivePower(base, e, m));
      }
    }
  });

  it("is fast where the price is low", () => {
    // 17 million exponent bytes, implicitly zero, for 6.8 million gas.
    const data = `${word(1)}${word(17_000_000)}${word(1)}0b02fb`;
    assert.ok(gas("MODEXP", data) < 7_000_000);
    const start = cpuTime();
    run("MODEXP", data);
    const operands = toHex(new Uint8Array(1024).fill(0xfe));
    run("MODEXP", word(1024) + word(8) + word(1024) + operands + "ff".repeat(8) + operands);
    assert.ok(cpuTime() - start < 1000);
  });
});
