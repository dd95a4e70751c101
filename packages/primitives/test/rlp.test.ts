import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { RLP } from "@ethereumjs/rlp";
import {
  bigintToBytes,
  bigintToTwosComplement,
  decodeRlpItem,
  decodeRlpList,
  encodeRlp,
  fromHex,
  numberToBytes,
  RawRlp,
  RlpError,
  type RlpInput,
  type RlpItem,
  toHex,
} from "../src/index.js";
import { decodeSequence } from "../src/rlp.js";

describe("RLP encoding", () => {
  // spec/01 §1.1
  for (const [value, hex] of [
    [0, "80"],
    [1, "01"],
    [127, "7f"],
    [128, "8180"],
    [255, "81ff"],
    [256, "820100"],
    [65535, "82ffff"],
    [65536, "83010000"],
  ] as const) {
    it(`integer ${value}`, () => {
      assert.equal(toHex(encodeRlp(numberToBytes(value))), hex);
      assert.equal(toHex(encodeRlp(bigintToBytes(BigInt(value)))), hex);
    });
  }
  for (const [value, hex] of [
    [0n, "00"],
    [1n, "01"],
    [127n, "7f"],
    [128n, "820080"],
    [255n, "8200ff"],
    [256n, "820100"],
    [-1n, "81ff"],
    [-128n, "8180"],
    [-129n, "82ff7f"],
    [21000000000000000000000000n, "8b115eec47f6cf7e35000000"],
  ] as const) {
    it(`signed coin ${value}`, () => assert.equal(toHex(encodeRlp(bigintToTwosComplement(value))), hex));
  }

  it("embeds raw encodings", () => {
    const inner = encodeRlp([Uint8Array.of(1), new Uint8Array(60)]);
    assert.deepEqual(encodeRlp([new RawRlp(inner)]), encodeRlp([[Uint8Array.of(1), new Uint8Array(60)]]));
  });

  it("agrees with another implementation on nested lists", () => {
    const tree = fc.letrec<{ node: RlpInput }>((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.uint8Array({ maxLength: 70 }),
        fc.array(tie("node"), { maxLength: 5 }) as fc.Arbitrary<RlpInput>,
      ),
    })).node;
    fc.assert(
      fc.property(tree, (input) => {
        const encoded = encodeRlp(input);
        assert.equal(toHex(encoded), toHex(RLP.encode(input as Parameters<typeof RLP.encode>[0])));
        assert.deepEqual(plain(decodeRlpItem(encoded)), input);
      }),
    );
  });

  it("agrees at the lengths where the prefix grows", () => {
    for (const length of [0, 1, 55, 56, 255, 256, 65535, 65536, 70000, 16777216]) {
      const data = new Uint8Array(length).fill(0x81);
      assert.ok(Buffer.from(encodeRlp(data)).equals(RLP.encode(data)));
      assert.ok(Buffer.from(encodeRlp([data])).equals(RLP.encode([data])));
      assert.equal(decodeRlpList(encodeRlp([data]))[0]!.bytes.length, length);
    }
  });
});

function plain(item: RlpItem): RlpInput {
  return item.isList ? item.items.map(plain) : item.bytes;
}

describe("RLP decoding", () => {
  // spec/01 §1.2
  for (const [hex, value] of [
    ["8100", "00"],
    ["817f", "7f"],
    ["b80100", "00"],
    ["b800", ""],
    ["bf0100000000000001aa", "aa"],
    ["b90001aa", "aa"],
    ["bb00000001aa", "aa"],
    ["80", ""],
    ["00", "00"],
  ] as const) {
    it(`string ${hex}`, () => {
      const item = decodeRlpItem(fromHex(hex));
      assert.equal(item.isList, false);
      assert.equal(toHex(item.bytes), value);
      assert.equal(toHex(item.raw), hex);
    });
  }

  it("decodes lists in long form", () => {
    assert.equal(decodeRlpList(fromHex("f800")).length, 0);
    assert.deepEqual(
      decodeRlpList(fromHex("f80180")).map((item) => item.bytes.length),
      [0],
    );
  });

  for (const [hex, code] of [
    ["b8", "RLP_TRUNCATED"],
    ["c2", "RLP_TRUNCATED"],
    ["8261", "RLP_TRUNCATED"],
    ["", "RLP_TRUNCATED"],
    ["b9ff", "RLP_TRUNCATED"],
    ["bb80000000aa", "RLP_LENGTH_NEGATIVE"],
    ["bfffffffffffffffffaa", "RLP_LENGTH_NEGATIVE"],
    ["fb7fffffff", "RLP_TRUNCATED"],
  ] as const) {
    it(`error ${hex || "of nothing"}`, () => assert.throws(() => decodeRlpItem(fromHex(hex)), { code }));
  }

  it("parses a list only when it is read", () => {
    const item = decodeRlpItem(fromHex("c18180".slice(0, 4)));
    assert.equal(toHex(item.bytes), "c181");
    assert.throws(() => item.items, { code: "RLP_TRUNCATED" });
    const nested = decodeRlpList(fromHex("c3c18180"));
    assert.throws(() => nested[0]!.items, RlpError);
    assert.equal(toHex(nested[1]!.bytes), "");
  });

  it("returns a list's whole encoding as its string value", () => {
    assert.equal(toHex(decodeRlpItem(fromHex("c20102")).bytes), "c20102");
  });

  it("requires exactly one list where a list is expected", () => {
    for (const [hex, code] of [
      ["", "RLP_TRUNCATED"],
      ["80", "RLP_EXPECTED_LIST"],
      ["c0c0", "RLP_TRAILING_BYTES"],
      ["c000", "RLP_TRAILING_BYTES"],
      ["01", "RLP_EXPECTED_LIST"],
    ] as const)
      assert.throws(() => decodeRlpList(fromHex(hex)), { code });
  });

  it("decodes any depth without overflowing the stack", () => {
    let data: Uint8Array = fromHex("c0");
    for (let depth = 0; depth < 2000; depth++) data = encodeRlp([new RawRlp(data)]);
    let item = decodeRlpItem(data);
    let depth = 0;
    for (; item.items.length > 0; depth++) item = item.items[0]!;
    assert.equal(depth, 2000);
  });

  it("decodes sequences", () => {
    assert.deepEqual(
      decodeSequence(fromHex("01820203c0")).map((item) => toHex(item.bytes)),
      ["01", "0203", "c0"],
    );
    assert.deepEqual(decodeSequence(new Uint8Array(0)), []);
  });
});
