import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { safeNumber } from "../src/bytes.js";
import {
  bigintToBytes,
  bigintToFixedBytes,
  bigintToTwosComplement,
  bytesToBigint,
  bytesToNumber,
  CambiumError,
  compareBytes,
  concatBytes,
  equalBytes,
  fromHex,
  fromQuantity,
  lastIndexOfBytes,
  leftPad,
  numberToBytes,
  reverseBytes,
  stripLeadingZeros,
  toData,
  toHex,
  toQuantity,
  twosComplementToBigint,
  utf8,
} from "../src/index.js";

const bytes = fc.uint8Array({ maxLength: 80 });
const big = fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n });
const natural = fc.bigInt({ min: 0n, max: 2n ** 300n });

describe("hex", () => {
  it("round-trips with and without prefix, in either case", () => {
    fc.assert(
      fc.property(bytes, (data) => {
        assert.deepEqual(fromHex(toHex(data)), data);
        assert.deepEqual(fromHex(toData(data)), data);
        assert.deepEqual(fromHex(toHex(data).toUpperCase()), data);
      }),
    );
  });

  for (const text of ["\u0138a", "0", "0x0", "0g", "zz", "12 4", "0x12x4", "é0", "0x0x12", " 12", "1\u0000"]) {
    it(`rejects ${JSON.stringify(text)}`, () => assert.throws(() => fromHex(text), { code: "INVALID_HEX" }));
  }

  it("does not share memory with later results", () => {
    const first = fromHex("0102");
    const second = fromHex("0304");
    first.fill(9);
    assert.deepEqual([...second], [3, 4]);
  });
});

describe("quantities", () => {
  it("round-trip", () => {
    fc.assert(fc.property(big, (value) => assert.equal(fromQuantity(toQuantity(value)), value)));
  });

  it("are written without leading zeros but may be read with them", () => {
    assert.equal(toQuantity(0), "0x0");
    assert.equal(toQuantity(255n), "0xff");
    assert.equal(toQuantity(-1n), "-0x1");
    assert.equal(fromQuantity("0x00ff"), 255n);
  });

  for (const text of ["", "0x", "12", "0xg", "--0x1", "0x1 ", "1e3", "0X1"]) {
    it(`reject ${JSON.stringify(text)}`, () => assert.throws(() => fromQuantity(text), { code: "INVALID_QUANTITY" }));
  }
});

describe("integers and bytes", () => {
  it("round-trip in unsigned minimal form", () => {
    fc.assert(
      fc.property(natural, (value) => {
        const minimal = bigintToBytes(value);
        assert.equal(bytesToBigint(minimal), value);
        assert.notEqual(minimal[0], 0);
        assert.deepEqual(bigintToFixedBytes(value, 40), leftPad(minimal, 40));
      }),
    );
  });

  it("agree between numbers and bigints", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (value) => {
        const minimal = numberToBytes(value);
        assert.deepEqual(minimal, bigintToBytes(BigInt(value)));
        assert.equal(bytesToNumber(minimal), value);
        assert.equal(bytesToNumber(concatBytes(new Uint8Array(5), minimal)), value);
      }),
    );
  });

  it("round-trip in minimal two's complement", () => {
    fc.assert(
      fc.property(big, (value) => {
        const signed = bigintToTwosComplement(value);
        assert.equal(twosComplementToBigint(signed), value);
        if (signed.length > 1) assert.notEqual(twosComplementToBigint(signed.subarray(1)), value);
      }),
    );
  });

  // spec/01, conventions
  for (const [value, hex] of [
    [0n, "00"],
    [127n, "7f"],
    [128n, "0080"],
    [255n, "00ff"],
    [-1n, "ff"],
    [-128n, "80"],
    [-129n, "ff7f"],
  ] as const) {
    it(`encode in two's complement: ${value}`, () => assert.equal(toHex(bigintToTwosComplement(value)), hex));
  }

  // Lengths come from the network: anything slower than linear time could stall a node.
  it("decode a million bytes of two's complement without delay", () => {
    for (const first of [0x7f, 0xff]) {
      const data = new Uint8Array(1_000_000).fill(first, 0, 1).fill(0x55, 1);
      const signed = bigintToTwosComplement(bytesToBigint(data));
      assert.equal(signed.length, first === 0xff ? 1_000_001 : 1_000_000);
    }
  });

  it("reject values above the safe integers", () => {
    assert.throws(() => bytesToNumber(fromHex("20000000000000")), { code: "UNSAFE_INTEGER" });
    assert.equal(bytesToNumber(fromHex("1fffffffffffff")), Number.MAX_SAFE_INTEGER);
    assert.throws(() => safeNumber(-(2n ** 53n)), { code: "UNSAFE_INTEGER" });
  });
});

describe("byte strings", () => {
  it("compare as unsigned bytes, then by length", () => {
    const order = ["", "00", "0000", "01", "7f", "80", "ff", "ff00"].map(fromHex);
    order.forEach((a, i) => {
      order.forEach((b, j) => {
        assert.equal(Math.sign(compareBytes(a, b)), Math.sign(i - j));
        assert.equal(equalBytes(a, b), i === j);
      });
    });
  });

  it("find the last occurrence", () => {
    assert.equal(lastIndexOfBytes(fromHex("0102010203"), fromHex("0102")), 2);
    assert.equal(lastIndexOfBytes(fromHex("0102"), fromHex("03")), -1);
    assert.equal(lastIndexOfBytes(fromHex("aabbcc").subarray(1), fromHex("aa")), -1);
    assert.equal(lastIndexOfBytes(new Uint8Array(0), fromHex("aa")), -1);
  });

  it("pad, strip, join and reverse", () => {
    fc.assert(
      fc.property(bytes, (data) => {
        assert.equal(leftPad(data, 100).length, 100);
        assert.deepEqual(stripLeadingZeros(leftPad(data, 100)), stripLeadingZeros(data));
        assert.deepEqual(reverseBytes(reverseBytes(data)), data);
        assert.deepEqual(concatBytes(data.subarray(0, 3), data.subarray(3)), data);
      }),
    );
    assert.deepEqual(utf8("é"), fromHex("c3a9"));
  });
});

describe("errors", () => {
  it("show code and data in one line", () => {
    class TestError extends CambiumError<{ code: "BAD"; what: string; bytes: Uint8Array; value: bigint }> {}
    const error = new TestError({ code: "BAD", what: "it", bytes: Uint8Array.of(1, 2), value: 3n });
    assert.equal(error.message, "BAD what=it bytes=0x0102 value=3");
    assert.equal(error.code, "BAD");
    assert.equal(error.name, "TestError");
  });
});
