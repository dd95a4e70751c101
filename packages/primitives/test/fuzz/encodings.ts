import assert from "node:assert/strict";
import { assertSameBytes, decoding, type FuzzTarget, textOf, texts } from "@cambium/test-utils/fuzz-target";
import {
  AbiError,
  abiFunction,
  concatBytes,
  decodeArguments,
  decodeBase58Check,
  decodeRlpItem,
  encodeBase58Check,
  encodeRlp,
  encodeValues,
  fromHex,
  fromQuantity,
  PrimitivesError,
  parseIp,
  RlpError,
  type RlpInput,
  type RlpItem,
  StrictRlp,
  toHex,
  toQuantity,
} from "../../src/index.js";
import { decodeSequence } from "../../src/rlp.js";

class NotCanonical extends Error {}

const strict = new StrictRlp((what, reason) => new NotCanonical(`${what}: ${reason}`));
const NESTED = encodeRlp([[Uint8Array.of(1)], new Uint8Array(60), [[], [new Uint8Array(300)]]]);
/** Deeper lists are not read, as in every decoder of this project. */
const DEPTH = 8;

/** All strings of an item, down to some depth. */
function contentOf(item: RlpItem, depth: number): RlpInput {
  return item.isList && depth > 0 ? item.items.map((inner) => contentOf(inner, depth - 1)) : item.bytes;
}

function strictContentOf(item: RlpItem, depth: number): RlpInput {
  if (!item.isList) return strict.readBytes(item, "bytes", 1_000);
  if (depth === 0) throw new NotCanonical("too deep");
  return strict.readList(item, "list", 1_000).map((inner) => strictContentOf(inner, depth - 1));
}

const ABI = abiFunction(
  "f",
  ["bytes", "uint256", "string", "bytes[]", "address", "bool", "bytes32[]", "int256[][]"],
  [],
);

export const targets: Readonly<Record<string, FuzzTarget>> = {
  rlp: decoding({
    seeds: () => [NESTED, fromHex("f80180"), fromHex("bf0100000000000001aa"), fromHex("c3c18180")],
    decode(input) {
      const item = decodeRlpItem(input);
      assert(item.raw.length <= input.length);
      return contentOf(item, DEPTH);
    },
    refusals: [RlpError],
    check(value) {
      const encoded = encodeRlp(value);
      assertSameBytes(encodeRlp(contentOf(decodeRlpItem(encoded), DEPTH)), encoded);
    },
  }),
  "rlp-sequence": decoding({
    seeds: () => [NESTED, concatBytes(NESTED, fromHex("01820203c0"), NESTED)],
    decode: decodeSequence,
    refusals: [RlpError],
    check: (items, input) => assertSameBytes(concatBytes(...items.map(({ raw }) => raw)), input),
  }),
  "strict-rlp": decoding({
    seeds: () => [NESTED],
    decode: (input) => strictContentOf(strict.readWhole(input, "input"), DEPTH),
    refusals: [NotCanonical],
    check: (value, input) => assertSameBytes(encodeRlp(value), input),
  }),
  hex: decoding({
    seeds: () => texts("0x00ff", "0XAb", "ff00", "0x"),
    decode: (input) => fromHex(textOf(input)),
    refusals: [PrimitivesError],
    check: (value, input) => assert.equal(toHex(value), textOf(input).replace(/^0x/i, "").toLowerCase()),
  }),
  quantity: decoding({
    seeds: () => texts("0x0", "-0x1", "0xFFFFFFFFFFFFFFFFFFFF", "0x0001"),
    decode: (input) => fromQuantity(textOf(input)),
    refusals: [PrimitivesError],
    check: (value) => assert.equal(fromQuantity(toQuantity(value)), value),
  }),
  base58: decoding({
    seeds: () => texts(encodeBase58Check(new Uint8Array(21)), encodeBase58Check(fromHex("00010203"))),
    decode: (input) => decodeBase58Check(textOf(input)),
    refusals: [],
    check: (value, input) => assert(value === undefined || encodeBase58Check(value) === textOf(input)),
  }),
  ip: decoding({
    seeds: () => texts("192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", "fe80::1%eth0", "::"),
    decode: (input) => parseIp(textOf(input)),
    refusals: [],
    check(value) {
      if (value === undefined) return;
      assert(value.bytes.length === 4 || value.bytes.length === 16);
      assertSameBytes(parseIp(value.text)!.bytes, value.bytes);
    },
  }),
  abi: decoding({
    seeds: () => {
      const words = [
        fromHex("0102"),
        7n,
        "text",
        [fromHex("03"), fromHex("")],
        new Uint8Array(20),
        true,
        [],
        [[1n], []],
      ];
      return [concatBytes(fromHex(ABI.selector), encodeValues(ABI.inputs, words))];
    },
    decode: (input) => decodeArguments(ABI, input),
    refusals: [AbiError],
    check(values) {
      const encoded = concatBytes(fromHex(ABI.selector), encodeValues(ABI.inputs, values));
      assert.deepEqual(decodeArguments(ABI, encoded), values);
    },
  }),
};
