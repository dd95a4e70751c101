import assert from "node:assert/strict";
import { fromHex, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { decodeAccount, encodeAccount } from "../src/account.js";
import { accountKey, cellKey } from "../src/index.js";
import { codeKey } from "../src/keys.js";

/** spec/01 §4.5. */
const vectors: readonly [nonce: bigint, balance: bigint, encoding: string][] = [
  [0n, 0n, "c28000"],
  [0n, 1n, "c28001"],
  [0n, 128n, "c480820080"],
  [0n, 255n, "c4808200ff"],
  [0n, 256n, "c480820100"],
  [0n, 2n ** 200n, "dc809a0100000000000000000000000000000000000000000000000000"],
  [0n, 21_000_000n * 10n ** 18n, "cd808b115eec47f6cf7e35000000"],
  [128n, 0n, "c3818000"],
  [256n, 0n, "c482010000"],
];

describe("account records", () => {
  for (const [nonce, balance, encoding] of vectors) {
    it(encoding, () => {
      assert.equal(toHex(encodeAccount({ nonce, balance, flags: 0 })), encoding);
      assert.deepEqual(decodeAccount(fromHex(encoding)), { nonce, balance, flags: 0 });
    });
  }

  it("round-trips any record", () => {
    const balance = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 260n });
    const nonce = fc.bigInt({ min: 0n, max: 2n ** 64n });
    fc.assert(
      fc.property(nonce, balance, fc.integer({ min: 0, max: 300 }), (nonce, balance, flags) => {
        const account = { nonce, balance, flags };
        assert.deepEqual(decodeAccount(encodeAccount(account)), account);
      }),
    );
  });
});

describe("state keys", () => {
  it("of account, code and cells", () => {
    const account = accountKey(fromHex("99170fbb183477a35a94c9bf390b770209d32a59"));
    const hex = "0022090b7d55cf00d0228199170fbb183477a35a94c9bf390b770209d32a59";
    assert.equal(toHex(account), hex);
    assert.equal(toHex(codeKey(account)), `${hex}80`);
    assert.equal(toHex(cellKey(account, new Uint8Array(32))), `${hex}00290decd9548b62a8d60300`);
    assert.equal(toHex(cellKey(account, new Uint8Array(32).fill(1, 31))), `${hex}00b10e2d527612073b26ee01`);
  });

  it("of the sender of reward transactions", () => {
    assert.equal(toHex(accountKey(Uint8Array.of(0))), "00bc36789e7a1e2814364600");
  });
});
