import assert from "node:assert/strict";
import { concatBytes, fromHex } from "@cambium/primitives";
import { flyoverRedeem } from "../src/bitcoin/flyover-script.js";
import {
  parseMultisig,
  parseMultisigStrictly,
  parseRedeemForm,
  TEST_SCRIPT_BEFORE_RSKIP284,
} from "../src/bitcoin/redeem-script.js";

const PREFIX = new Uint8Array(32).fill(7);

describe("redeem scripts (spec/06b-2 §1.3)", () => {
  it("may have any pushes as keys, but no opcodes", () => {
    assert.deepEqual(parseMultisig(fromHex("5101aa0051ae"))?.keys, undefined);
    assert.deepEqual(parseMultisig(fromHex("5101aa51ae"))?.keys, [fromHex("aa")]);
    assert.equal(parseMultisig(fromHex("515151ae")), undefined);
    assert.equal(parseMultisig(fromHex("5101aa51af"))?.threshold, 1);
    assert.equal(parseMultisig(fromHex("5101aa51ac")), undefined);
  });

  it("are not multisigs if they need no signature, although the form matches", () => {
    const script = fromHex("010001aa51ae");
    assert.equal(parseMultisig(script), undefined);
    assert.equal(parseRedeemForm(script)?.threshold, 0);
    const emergency = fromHex("645101aa51ae6751b275010001bb51ae68");
    assert.equal(parseMultisig(emergency)?.threshold, 1);
  });

  it("may push the delay in any way", () => {
    for (const delay of ["51", "60", "50", "4f", "0105", "00", "4c0105"]) {
      for (const [members, end] of [
        ["5101aa51ae", "5101bb51ae68"],
        ["5101aa51", "5101bb5168ae"],
      ]) {
        const multisig = parseMultisig(fromHex(`64${members}67${delay}b275${end}`));
        assert.equal(multisig?.emergency, true, delay);
        assert.deepEqual(multisig?.defaultScript, fromHex("5101aa51ae"));
      }
    }
    assert.equal(parseMultisig(fromHex("645101aa51ae6761b2755101bb51ae68")), undefined);
    // The first ELSE is used.
    assert.equal(parseMultisig(fromHex("64675101aa51ae6751b2755101bb51ae68")), undefined);
  });

  it("fail on an empty push as a number, and on an ELSE too close to the end", () => {
    for (const hex of ["0001aa51ae", "4c0001aa51ae", "5101aa00ae", "5101aa4d0000ae", "645167ae68", "64516768ae"]) {
      assert.throws(() => parseMultisig(fromHex(hex)), { code: "PARENT_SCRIPT" }, hex);
      assert.throws(() => parseMultisigStrictly(fromHex(hex)), { code: "PARENT_SCRIPT" }, hex);
      assert.throws(() => parseRedeemForm(flyoverRedeem(PREFIX, fromHex(hex))), { code: "PARENT_SCRIPT" }, hex);
    }
    for (const hex of ["0051ae", "61", "01", "0001aa51ac", "645100006768"]) {
      assert.equal(parseMultisig(fromHex(hex)), undefined, hex);
    }
  });

  it("may follow several flyover prefixes", () => {
    const script = flyoverRedeem(PREFIX, flyoverRedeem(PREFIX, fromHex("5101aa51ae")));
    assert.deepEqual(parseMultisig(script)?.defaultScript, fromHex("5101aa51ae"));
    const many = concatBytes(...Array.from({ length: 20_000 }, () => flyoverRedeem(PREFIX, new Uint8Array(0))));
    assert.equal(parseMultisig(concatBytes(many, fromHex("5101aa51ae")))?.threshold, 1);
  });

  it("treat the test chain's special script as a multisig only behind a prefix", () => {
    assert.equal(parseRedeemForm(TEST_SCRIPT_BEFORE_RSKIP284), undefined);
    const prefixed = parseMultisig(flyoverRedeem(PREFIX, TEST_SCRIPT_BEFORE_RSKIP284));
    assert.equal(prefixed?.threshold, 3);
    assert.equal(prefixed?.keys.length, 5);
  });
});
