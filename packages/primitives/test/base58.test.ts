import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { decodeBase58, encodeBase58 } from "../src/base58.js";
import { bytesToBigint, decodeBase58Check, encodeBase58Check } from "../src/index.js";

describe("base58", () => {
  it("round-trips base58", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) =>
        assert.deepEqual(decodeBase58(encodeBase58(bytes)), bytes),
      ),
    );
    assert.equal(decodeBase58("0"), undefined);
  });

  it("decodes text of any length as digit by digit", () => {
    const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    const digits = fc.array(fc.nat(57), { maxLength: 400 });
    fc.assert(
      fc.property(digits, fc.nat(20), (values, ones) => {
        const text = "1".repeat(ones) + values.map((digit) => alphabet[digit]).join("");
        const value = values.reduce((sum, digit) => sum * 58n + BigInt(digit), 0n);
        const decoded = decodeBase58(text)!;
        assert.equal(bytesToBigint(decoded), value);
        assert.equal(
          decoded.findIndex((byte) => byte !== 0),
          value === 0n ? -1 : /[^1]/.exec(text)!.index,
        );
      }),
    );
    assert.deepEqual(decodeBase58(""), new Uint8Array(0));
    for (const text of ["I", "l", "O", "2 ", "2\n", "é", "𝟏"]) assert.equal(decodeBase58(text), undefined);
  });

  it("decodes a hundred thousand digits without a step for each of all bytes", () => {
    const digits = 100_000;
    const decoded = decodeBase58("z".repeat(digits))!;
    assert.equal(bytesToBigint(decoded), 58n ** BigInt(digits) - 1n);
  });

  it("round-trips with a checksum and rejects a wrong one", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = encodeBase58Check(bytes);
        assert.deepEqual(decodeBase58Check(text), bytes);
        const changed = (text.startsWith("z") ? "y" : "z") + text.slice(1);
        assert.equal(decodeBase58Check(changed), undefined);
      }),
    );
    assert.equal(decodeBase58Check("111"), undefined);
  });
});
