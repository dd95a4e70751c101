import assert from "node:assert/strict";
import type { AbiParameter } from "viem";
import { functionsOf, isRead, signatureOf } from "../web/contract/functions.js";
import { emptyValue, integerOf, readValue } from "../web/contract/values.js";

const NOW = 1_700_000_000;
const ACCOUNT = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826";
const ORDER: AbiParameter = {
  name: "what",
  type: "tuple",
  internalType: "struct Workshop.Order",
  components: [
    { name: "item", type: "string" },
    { name: "due", type: "uint64" },
    { name: "parts", type: "uint256[]" },
  ],
};
const param = (type: string): AbiParameter => ({ name: "x", type });

describe("values of a form", () => {
  it("are numbers as people write them", () => {
    for (const [text, value] of [
      ["42", 42n],
      [" 1_000,000 ", 1_000_000n],
      ["0x2A", 42n],
      ["-7", -7n],
      ["1e18", 10n ** 18n],
      ["1.5 ether", 15n * 10n ** 17n],
      ["20gwei", 20n * 10n ** 9n],
      ["1.5e3 wei", 1_500n],
      ["now", BigInt(NOW)],
      ["now + 2 h", BigInt(NOW + 7_200)],
      ["now-1d", BigInt(NOW - 86_400)],
    ] as const) {
      assert.equal(integerOf(text, NOW), value, text);
    }
    for (const text of ["", "one", "1.5", "1.5 wei", "1 euro", "0x", "later", "1e999", "1 2"]) {
      assert.equal(integerOf(text, NOW), undefined, text);
    }
  });

  it("have the type of their parameter, or say what they expect", () => {
    assert.equal(readValue(param("uint8"), "255", NOW), 255n);
    assert.equal(readValue(param("int8"), "-128", NOW), -128n);
    assert.equal(readValue(param("address"), ACCOUNT.toLowerCase(), NOW), ACCOUNT);
    assert.equal(readValue(param("bool"), "true", NOW), true);
    assert.equal(readValue(param("bytes"), "", NOW), "0x");
    assert.equal(readValue(param("bytes2"), "0xABcd", NOW), "0xabcd");
    assert.equal(readValue(param("string"), " as it is ", NOW), " as it is ");
    for (const [type, text, problem] of [
      ["uint8", "256", /^x is "256": expected 0 to 255$/],
      ["uint256", "", /^x is empty: expected a number/],
      ["int8", "128", /-128 to 127/],
      ["address", "0x12", /expected an address/],
      ["bool", "yes", /true or false/],
      ["bytes2", "0xab", /expected 4 hex digits/],
      ["bytes", "ab", /expected bytes in hex/],
      ["fixed128x18", "1", /cannot write/],
    ] as const) {
      assert.throws(() => readValue(param(type), text, NOW), { message: problem });
    }
  });

  it("are structs and lists of others", () => {
    assert.deepEqual(emptyValue(ORDER), ["", "", []]);
    assert.deepEqual(emptyValue(param("bool[2]")), ["false", "false"]);
    const written = ["chair", "now", ["1", "2 gwei"]];
    assert.deepEqual(readValue(ORDER, written, NOW), { item: "chair", due: BigInt(NOW), parts: [1n, 2_000_000_000n] });
    assert.throws(() => readValue(ORDER, ["chair", "1", ["1", "two"]], NOW), {
      message: /^what\.parts\[1\]\.?\S* is "two"/,
    });
    assert.deepEqual(readValue(param("uint8[][2]"), [["1"], []], NOW), [[1n], []]);
  });
});

describe("functions of an ABI", () => {
  it("are those that a form can be made for", () => {
    const order = { type: "function", name: "order", stateMutability: "payable", inputs: [ORDER], outputs: [] };
    const count = { type: "function", name: "count", stateMutability: "view", inputs: [], outputs: [param("uint256")] };
    const bad = [
      { type: "function", name: 7, inputs: [] },
      { type: "function", name: "a" },
      { type: "function", name: "b", inputs: [{ type: "tuple" }] },
      { type: "function", name: "c", inputs: [{ type: "<img>" }] },
      { type: "function", name: "d", inputs: [null] },
      { type: "function", name: "f", inputs: [{ name: "x", type: "bool[50][50]" }] },
      { type: "event", name: "e", inputs: [] },
    ];
    const found = functionsOf([order, ...bad, count]);
    assert.deepEqual(found.map(signatureOf), ["order(Order what)", "count()"]);
    assert.deepEqual(found.map(isRead), [false, true]);
  });
});
