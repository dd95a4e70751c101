import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { RpcError } from "../src/index.js";
import { blockSelector } from "../src/params/block-selector.js";
import type { ParamType } from "../src/params/param-type.js";
import { ADDRESS, BLOCK_HASH, BOOLEAN, DATA, INDEX, NUMBER, SHA3_INPUT, TOPIC } from "../src/params/value-types.js";

const ALL_FORMS = blockSelector({ pending: true, hash: true, map: true });
const HASH = `0x${"ab".repeat(32)}`;

function refusal(type: ParamType<unknown>, value: unknown): string {
  try {
    type.parse(value);
  } catch (error) {
    assert(error instanceof RpcError, String(error));
    assert.equal(error.toObject().code, -32602);
    return error.toObject().message;
  }
  return assert.fail(`accepted ${JSON.stringify(value)}`);
}

describe("input validators", () => {
  it("ADDRESS: 40 digits in any case, with or without prefix", () => {
    const bytes = "407d73d8a49eeb85d32cf465507dd71d507100c1";
    for (const text of [`0x${bytes}`, bytes, `0x${bytes.toUpperCase()}`])
      assert.equal(toHex(ADDRESS.parse(text)), bytes);
    for (const value of [null, undefined, 5, "", "0x407d73", `0x${bytes}00`]) {
      assert.equal(refusal(ADDRESS, value), "Invalid address: null, empty or invalid hex value.");
    }
    for (const text of [`0x${bytes.slice(2)}`, `${bytes}0`, `0x${bytes.slice(1)}g`]) {
      assert.equal(refusal(ADDRESS, text), "Invalid address format: invalid hex value.");
    }
  });

  it("HASH32: 64 digits, each kind with its own message", () => {
    assert.equal(toHex(BLOCK_HASH.parse(HASH)), HASH.slice(2));
    assert.equal(toHex(BLOCK_HASH.parse(HASH.slice(2))), HASH.slice(2));
    assert.equal(refusal(BLOCK_HASH, "0xab"), "Invalid block hash: incorrect length.");
    assert.equal(refusal(BLOCK_HASH, `0x${"ab".repeat(31)}`), "Invalid block hash: incorrect length.");
    assert.equal(refusal(TOPIC, `0x${"zz".repeat(32)}`), "Invalid topic format: invalid hex value");
    assert.equal(refusal(TOPIC, null), "Invalid topic: incorrect length.");
  });

  it("NUMBER: hex with prefix, otherwise decimal", () => {
    assert.equal(NUMBER.parse("0x100a"), 4106n);
    assert.equal(NUMBER.parse("1000"), 1000n);
    assert.equal(NUMBER.parse(1000), 1000n);
    assert.equal(NUMBER.parse(`0x${"ff".repeat(32)}`), (1n << 256n) - 1n);
    assert.equal(refusal(NUMBER, "0x76ty"), "Invalid param 0x76ty: value must be a valid hex or string number.");
    assert.equal(refusal(NUMBER, "1a"), "Number values should not contain letters or hex values should start with 0x.");
    assert.equal(refusal(NUMBER, "9".repeat(67)), `Invalid param: ${"9".repeat(67)}`);
    for (const value of [-1, 1.5, 1e21, "", "0x", {}, [], null, true]) refusal(NUMBER, value);
    assert(refusal(NUMBER, { long: "x".repeat(10_000) }).length < 400);
  });

  it("DATA: an odd number of digits is padded with a leading zero", () => {
    assert.equal(toHex(DATA.parse("0x2")), "02");
    assert.equal(toHex(DATA.parse("20")), "20");
    assert.equal(toHex(DATA.parse("0x")), "");
    // The low byte of U+0130 is the digit 0.
    for (const value of ["0xzz", 5.5, null, " ", "0x0x12", "0x\u{130}0", "0x000g", "0x00\u{e9}"])
      assert.equal(refusal(DATA, value), "Invalid data format: invalid hex value.");
  });

  it("INDEX: prefixed hex below 2^31", () => {
    assert.equal(INDEX.parse("0x0"), 0);
    assert.equal(INDEX.parse("0x7fffffff"), 0x7fffffff);
    assert.equal(INDEX.parse("0x0000000000000a"), 10);
    assert.equal(refusal(INDEX, "122"), 'Invalid argument "122": param should be a hex value string.');
    for (const text of ["0x80000000", "0x", "0xg", `0x${"f".repeat(1000)}`]) {
      assert.equal(refusal(INDEX, text), "Invalid index param: value must be a valid hex number.");
    }
    refusal(INDEX, 0);
  });

  it("BOOLEAN and the input of web3_sha3", () => {
    assert.equal(BOOLEAN.parse(true), true);
    assert.equal(BOOLEAN.parse("false"), false);
    for (const value of ["yes", 1, {}]) refusal(BOOLEAN, value);
    assert.equal(toHex(SHA3_INPUT.parse("0x123")), "0123");
    assert.equal(SHA3_INPUT.parse("0x").length, 0);
    for (const value of ["", "12", "0xg", null]) refusal(SHA3_INPUT, value);
  });

  it("throws only typed errors for any input", () => {
    const types = [ADDRESS, BLOCK_HASH, NUMBER, DATA, INDEX, BOOLEAN, SHA3_INPUT, ALL_FORMS];
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.string().map((text) => `0x${text}`),
      fc.mixedCase(fc.constant(HASH)),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom(...types), (value, type) => {
        try {
          type.parse(value);
        } catch (error) {
          assert(error instanceof RpcError);
        }
      }),
    );
  });
});

describe("block selectors", () => {
  it("tags, numbers and hashes", () => {
    for (const tag of ["latest", "earliest", "pending"]) assert.deepEqual(ALL_FORMS.parse(tag), { kind: tag });
    for (const text of ["0x1b4", "436", "0x00000001b4"]) {
      assert.deepEqual(ALL_FORMS.parse(text), { kind: "number", number: 436, text });
    }
    for (const text of [HASH, HASH.slice(2)]) {
      const selector = ALL_FORMS.parse(text);
      assert.equal(selector.kind, "hash");
    }
    assert.deepEqual(ALL_FORMS.parse("0xffffffffffffffff"), {
      kind: "number",
      number: Number.MAX_SAFE_INTEGER,
      text: "0xffffffffffffffff",
    });
  });

  it("maps: a hash takes precedence, requireCanonical is a boolean or a string", () => {
    for (const requireCanonical of [true, "true"]) {
      const selector = ALL_FORMS.parse({ blockHash: HASH, blockNumber: "0x1", requireCanonical });
      assert.deepEqual({ ...selector, hash: 0 }, { kind: "hash", hash: 0, requireCanonical: true, text: HASH });
    }
    assert.deepEqual(ALL_FORMS.parse({ blockNumber: "12" }), { kind: "number", number: 12, text: "12" });
  });

  it("rejects malformed identifiers", () => {
    assert.equal(refusal(ALL_FORMS, "safe"), "Unsupported block specifier 'safe'");
    assert.equal(refusal(ALL_FORMS, "finalized"), "Unsupported block specifier 'finalized'");
    assert.equal(refusal(ALL_FORMS, "Latest"), "Invalid block identifier 'Latest'");
    assert.equal(refusal(ALL_FORMS, "0x12345678901234567"), "Invalid block identifier '0x12345678901234567'");
    assert.equal(refusal(ALL_FORMS, ""), "Invalid block identifier: empty or null.");
    assert.equal(refusal(ALL_FORMS, null), "Invalid block identifier: empty or null.");
    assert.equal(refusal(ALL_FORMS, {}), "Invalid block input");
    for (const value of [5, true, []]) assert.equal(refusal(ALL_FORMS, value), "Invalid input");
  });

  it("rejects hashes, maps and pending if a method does not accept them", () => {
    const plain = blockSelector({ pending: false, hash: false, map: false });
    assert.equal(refusal(plain, HASH), `Invalid block identifier '${HASH}'`);
    assert.equal(refusal(plain, { blockNumber: "0x1" }), "Invalid input");
    assert.throws(
      () => plain.parse("pending"),
      (error) => error instanceof RpcError && error.toObject().code === -32201,
    );
  });
});
