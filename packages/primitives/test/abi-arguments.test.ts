import assert from "node:assert/strict";
import { fc, runs } from "@cambium/test-utils/properties";
import {
  type AbiArgument,
  AbiArray,
  AbiError,
  AbiText,
  type AbiValue,
  abiFunction,
  abiType,
  concatBytes,
  decodeArguments,
  encodeValues,
  fromHex,
  readArguments,
  toHex,
} from "../src/index.js";

const word = (value: number | bigint): Uint8Array =>
  fromHex(BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0"));

/** Counts the views of these bytes, and the views of those views. */
class CountedBytes extends Uint8Array {
  static views = 0;

  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    CountedBytes.views++;
    return super.subarray(begin, end);
  }
}

/** Decodes like `spec/04 §6.7`, literally: eager, with a copy of everything. Returns undefined if malformed. */
function model(types: readonly string[], call: Uint8Array): AbiValue[] | undefined {
  const data = call.slice(4);
  class Malformed extends Error {}
  const range = (from: number, size: number): Uint8Array => {
    if (from < 0 || size < 0 || from + size > data.length) throw new Malformed();
    return data.slice(from, from + size);
  };
  const integer = (at: number): bigint => (data.length === 0 ? 0n : BigInt.asIntN(256, value(range(at, 32))));
  const value = (bytes: Uint8Array): bigint => BigInt(`0x0${toHex(bytes)}`);
  const int32 = (at: number): number => Number(BigInt.asIntN(32, integer(at)));
  const content = (at: number): Uint8Array => range(at + 32, int32(at));
  const decode = (type: string, at: number): AbiValue => {
    if (type.endsWith("[]")) {
      if (data.length === 0) return [];
      const element = type.slice(0, -2);
      const isDynamic = element === "bytes" || element === "string" || element.endsWith("[]");
      const start = at + 32;
      const length = range(start, int32(at)).length;
      const values: AbiValue[] = [];
      for (let i = 0; i < length; i++) {
        const head = start + 32 * i;
        values.push(decode(element, isDynamic ? start + int32(head) : head));
      }
      return values;
    }
    if (type === "bytes") return content(at);
    if (type === "string") return new TextDecoder("utf-8", { ignoreBOM: true }).decode(content(at));
    if (type === "bool") return int32(at) !== 0;
    if (type.startsWith("bytes")) return range(at, 32);
    if (type !== "address") return integer(at);
    const shortest = integer(at);
    if (shortest >= 0n) return word(shortest).slice(12);
    let size = 1;
    while (BigInt.asIntN(8 * size, shortest) !== shortest) size++;
    return word(BigInt.asUintN(8 * size, shortest)).slice(12);
  };
  try {
    return types.map((type, i) => {
      const head = 32 * i;
      if (!(type === "bytes" || type === "string" || type.endsWith("[]"))) return decode(type, head);
      range(head, 0);
      const slot = new Uint8Array(32);
      slot.set(data.slice(head, head + 32));
      return decode(type, Number(BigInt.asIntN(32, value(slot))));
    });
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

function eager(argument: AbiArgument): AbiValue {
  if (argument instanceof AbiText) return argument.toString();
  return argument instanceof AbiArray ? Array.from(argument, eager) : argument;
}

const SIGNATURES: readonly (readonly string[])[] = [
  ["int256", "bytes[]"],
  ["bytes[]"],
  ["string", "string"],
  ["string[]", "bool"],
  ["bytes", "bytes[]", "bytes"],
  ["bytes32", "bytes32", "uint256", "bytes32[]"],
  ["bytes", "uint256", "bytes", "bytes32", "bytes", "address", "bytes", "bool"],
  ["address[]", "int256[][]"],
  ["bytes32", "address", "int32"],
  [],
];

/** Offsets and lengths around every bound: of the data, of 32 bits, and of their sums. */
const bound = fc.oneof(
  { weight: 6, arbitrary: fc.nat(14).map((n) => BigInt(32 * n)) },
  { weight: 2, arbitrary: fc.nat(400).map(BigInt) },
  { weight: 1, arbitrary: fc.nat(400).map((n) => -BigInt(n)) },
  { weight: 1, arbitrary: fc.constantFrom(0x7fffffffn, 0x7fffffe0n, 0x80000000n, 0xffffffffn, 0xffffffe0n, 1n << 32n) },
  { weight: 1, arbitrary: fc.bigInt(0n, (1n << 256n) - 1n) },
);
/** The upper 28 bytes of an offset or length do not count. */
const slot = fc
  .tuple(bound, fc.boolean())
  .map(([low, isDirty]) => word(isDirty ? BigInt.asUintN(32, low) | (0xabcdefn << 40n) : low));
const slots = fc.array(slot, { maxLength: 16 }).map((list) => concatBytes(...list));
const truncated = (data: fc.Arbitrary<Uint8Array>) =>
  fc.tuple(data, fc.nat(40)).map(([bytes, cut]) => bytes.subarray(0, Math.max(0, bytes.length - cut)));

function compare(types: readonly string[], args: Uint8Array): void {
  const definition = abiFunction("f", types, []);
  // The data lie within a larger buffer, whose other bytes must not count.
  const buffer = concatBytes(word(1), fromHex(definition.selector), args, word(1));
  const call = buffer.subarray(32, buffer.length - 32);
  const expected = model(types, call);
  // Two rounds, because the first failure is remembered.
  for (let round = 0; round < 2; round++) {
    const read = readArguments(definition, call);
    assert.deepEqual(read?.map(eager), expected);
  }
}

describe("Arguments of calls (spec/04 §6.7)", () => {
  it("are read as the straightforward decoder reads them, whatever the bounds", () => {
    fc.assert(fc.property(fc.constantFrom(...SIGNATURES), truncated(slots), compare), { numRuns: runs(5000) });
  });

  it("are read as it reads them when single bytes of an encoding differ", () => {
    const values: Readonly<Record<string, AbiValue>> = {
      "bytes[]": [fromHex("01"), new Uint8Array(40), fromHex("")],
      "string[]": ["a", "\ufeffb"],
      "bytes32[]": [word(1), word(2)],
      "address[]": [new Uint8Array(20)],
      "int256[][]": [[1n], [], [2n, 3n]],
      bytes: new Uint8Array(33),
      string: "text",
      bool: true,
      address: new Uint8Array(20).fill(1),
      bytes32: word(5),
    };
    const change = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...SIGNATURES), change, fc.nat(40), (types, changes, cut) => {
        const encoded = encodeValues(
          types.map(abiType),
          types.map((type) => values[type] ?? 7n),
        );
        // Bytes of slots are changed only where they matter.
        for (const [at, byte] of changes) if (encoded.length > 0) encoded[(at % encoded.length) | 28] = byte;
        compare(types, encoded.subarray(0, Math.max(0, encoded.length - cut)));
      }),
      { numRuns: runs(5000) },
    );
  });

  it("are read as it reads them if one element of many is outside the data, at any position", () => {
    const size = 96;
    const offsets = [0, 31, 32, size - 64, size - 32, size - 31, size, -32, -1, 0x7fffffff, 0x80000000];
    for (let count = 1; count <= 10; count++) {
      const good = word(32 * count);
      // The second and third words are lengths that exceed the data, or are negative.
      const content = concatBytes(word(size - 32), word(0x80), word(0xffffff80));
      for (let position = 0; position < count; position++) {
        for (const offset of offsets) {
          const heads = Array.from({ length: count }, (_, i) => (i === position ? word(32 * count + offset) : good));
          compare(["bytes[]"], concatBytes(word(32), word(count), ...heads, content));
        }
      }
    }
  });

  it("need no object for each element of an array, malformed or not", () => {
    const definition = abiFunction("f", ["int256", "bytes[]"], []);
    const count = 5000;
    const tail = new Uint8Array(100_000);
    tail.set(word(tail.length - 32));
    const heads = Array.from({ length: count }, () => word(32 * count));
    const data = (last: Uint8Array): CountedBytes =>
      new CountedBytes(
        concatBytes(fromHex(definition.selector), word(1), word(64), word(count), ...heads.with(-1, last), tail),
      );

    CountedBytes.views = 0;
    assert.equal(readArguments(definition, data(word(32 * count + tail.length))), undefined);
    const [, keys] = readArguments(definition, data(word(32 * count)))! as [bigint, AbiArray];
    assert.equal(keys.length, count);
    assert.ok(CountedBytes.views <= 4, `${CountedBytes.views} views`);

    const element = keys.at(count - 1) as Uint8Array;
    assert.equal(element.length, tail.length - 32);
    assert.equal(element.buffer, (keys.at(0) as Uint8Array).buffer);
  });

  it("cannot be of types whose inner heads could overlap", () => {
    for (const name of ["bytes[][]", "string[][]", "int256[][][]", "bytes[][][][]"]) {
      assert.throws(() => abiType(name), AbiError);
    }
    assert.equal(abiType("bytes32[][]").name, "bytes32[][]");
  });

  it("are not decoded to values that outgrow the data", () => {
    const definition = abiFunction("f", ["string[]"], []);
    const text = concatBytes(word(96), new Uint8Array(96));
    const call = (count: number): Uint8Array => {
      const heads = Array.from({ length: count }, () => word(32 * count));
      return concatBytes(fromHex(definition.selector), word(32), word(count), ...heads, text);
    };
    assert.equal((decodeArguments(definition, call(2))[0] as AbiValue[]).length, 2);
    assert.throws(() => decodeArguments(definition, call(20)), AbiError);
    assert.equal((readArguments(definition, call(20))![0] as AbiArray).length, 20);
  });
});
