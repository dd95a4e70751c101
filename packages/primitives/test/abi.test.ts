import assert from "node:assert/strict";
import { fc, runs } from "@cambium/test-utils/properties";
import {
  AbiError,
  type AbiValue,
  abiFunction,
  abiType,
  concatBytes,
  decodeArguments,
  encodeValues,
  fromHex,
  toHex,
} from "../src/index.js";

const word = (value: number | bigint): string => value.toString(16).padStart(64, "0");

function decode(inputs: readonly string[], args: string): AbiValue[] {
  const definition = abiFunction("f", inputs, []);
  return decodeArguments(definition, fromHex(definition.selector + args));
}

describe("Solidity ABI (spec/04 §6.7)", () => {
  it("derives selectors from canonical signatures", () => {
    assert.equal(abiFunction("getMultisigScriptHash", ["int256", "bytes[]"], ["bytes"]).selector, "8ad13825");
    assert.equal(abiFunction("getCallStackDepth", [], ["uint32"]).selector, "e8ce2274");
  });

  it("round-trips values of every type", () => {
    const bytes = fc.uint8Array({ maxLength: 80 });
    const values = fc.tuple(
      fc.bigInt(-(2n ** 255n), 2n ** 255n - 1n),
      bytes,
      fc.string({ unit: "grapheme" }),
      fc.boolean(),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.array(bytes, { maxLength: 5 }),
      fc.array(fc.bigInt(0n, 2n ** 255n - 1n), { maxLength: 5 }),
      fc.uint8Array({ minLength: 20, maxLength: 20 }),
    );
    const names = ["int256", "bytes", "string", "bool", "bytes32", "bytes[]", "uint256[]", "address"];
    const definition = abiFunction("f", names, []);
    fc.assert(
      fc.property(values, (args) => {
        const data = concatBytes(fromHex(definition.selector), encodeValues(names.map(abiType), args));
        assert.deepEqual(decodeArguments(definition, data), args);
      }),
    );
  });

  it("pads empty bytes to a word of zeros", () => {
    assert.equal(toHex(encodeValues([abiType("bytes")], [new Uint8Array(0)])), word(32) + word(0) + word(0));
    assert.equal(toHex(encodeValues([abiType("string")], ["a"])), `${word(32) + word(1)}61${"00".repeat(31)}`);
  });

  it("reads a bare selector as zeros and empty arrays, but not as bytes", () => {
    assert.deepEqual(decode(["int256", "uint32", "bool"], ""), [0n, 0n, false]);
    assert.deepEqual(decode(["bytes[]"], ""), [[]]);
    assert.throws(() => decode(["bytes"], ""), AbiError);
    assert.throws(() => decode(["string"], ""), AbiError);
    assert.throws(() => decode(["int256", "bytes[]"], ""), AbiError);
  });

  it("decodes integers as signed words, offsets and lengths by their low 32 bits", () => {
    assert.deepEqual(decode(["int256", "uint256"], "ff".repeat(64)), [-1n, -1n]);
    const dirty = `ff${"00".repeat(27)}`;
    assert.deepEqual(decode(["bytes"], `${dirty}00000020${dirty}000000020102`), [fromHex("0102")]);
    assert.throws(() => decode(["bytes"], word(32) + word(0xffffffffn)), AbiError);
    assert.throws(() => decode(["bytes"], word(0xfffffff0n) + word(0)), AbiError);
  });

  it("requires the content but not the padding, and ignores trailing bytes", () => {
    assert.deepEqual(decode(["bytes"], `${word(32)}${word(3)}010203`), [fromHex("010203")]);
    assert.throws(() => decode(["bytes"], `${word(32)}${word(3)}0102`), AbiError);
    assert.throws(() => decode(["int256"], "00".repeat(31)), AbiError);
    assert.deepEqual(decode(["int256"], `${word(7)}ff`), [7n]);
  });

  it("reads the truncated offset slot of a dynamic argument as if zeros followed", () => {
    assert.deepEqual(decode(["int256", "bytes[]"], word(0)), [0n, []]);
    assert.deepEqual(decode(["int256", "bytes[]"], `${word(0)}00`), [0n, []]);
    assert.throws(() => decode(["int256", "bytes[]"], word(2)), AbiError);
  });

  it("counts the offsets of array elements from the end of the length", () => {
    const array = word(2) + word(0x40) + word(0x40) + word(1) + "aa".padEnd(64, "0");
    assert.deepEqual(decode(["bytes[]"], word(32) + array), [[fromHex("aa"), fromHex("aa")]]);
    assert.throws(() => decode(["bytes[]"], word(32) + word(33) + word(0)), AbiError);
  });

  it("replaces malformed UTF-8 and keeps byte order marks", () => {
    assert.deepEqual(decode(["string"], `${word(32)}${word(4)}efbbbfff`), ["\ufeff\ufffd"]);
  });

  it("converts an address whose word is negative through its shortest form", () => {
    assert.deepEqual(decode(["address"], "00".repeat(12) + "ff".repeat(20)), [fromHex("ff".repeat(20))]);
    assert.deepEqual(decode(["address"], "ff".repeat(32)), [fromHex(`${"00".repeat(19)}ff`)]);
  });

  it("fails only with the typed error", () => {
    const inputs = fc.constantFrom(
      ["bytes[]", "int256"],
      ["string", "string"],
      ["bytes", "address[]"],
      ["bytes32", "bool"],
    );
    const slot = fc.oneof(
      fc.nat(200).map((n) => fromHex(word(n))),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
    );
    const data = fc.array(slot, { maxLength: 12 }).chain((slots) => {
      const whole = concatBytes(...slots);
      return fc.nat(whole.length).map((length) => whole.subarray(0, length));
    });
    fc.assert(
      fc.property(inputs, data, (types, args) => {
        try {
          decode(types, toHex(args));
        } catch (error) {
          assert.ok(error instanceof AbiError);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});
