import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { coinbaseId, compressCoinbase, sha256, sha256d, splitCoinbase, TAG, transactionId } from "../src/index.js";
import { finishSha256, initialState } from "../src/sha256.js";

const reference = (data: Uint8Array) => createHash("sha256").update(data).digest("hex");

/** The compression function over a whole message. */
const own = (data: Uint8Array) => toHex(finishSha256(initialState(), data, BigInt(data.length)));

describe("SHA-256", () => {
  it("agrees with the platform at every length around block boundaries", () => {
    for (let length = 0; length <= 200; length++) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff);
      assert.equal(own(data), reference(data));
      assert.equal(toHex(sha256(data)), reference(data));
    }
  });

  it("agrees with the platform on random bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), (data) => assert.equal(own(data), reference(data))));
  });

  it("computes double SHA-256", () => {
    assert.equal(toHex(sha256d(TAG)), reference(createHash("sha256").update(TAG).digest()));
  });

  it("continues from the state of a compressed coinbase for any tag position", () => {
    const around = fc.uint8Array({ minLength: 0, maxLength: 400 });
    fc.assert(
      fc.property(around, fc.uint8Array({ minLength: 64, maxLength: 200 }), (before, after) => {
        const coinbase = Uint8Array.from([...before, ...TAG, ...after]);
        const parts = splitCoinbase(compressCoinbase(coinbase));
        assert.equal(parts.byteCount % 64n, 0n);
        assert.equal(toHex(coinbaseId(parts)), toHex(transactionId(coinbase)));
      }),
    );
  });
});
