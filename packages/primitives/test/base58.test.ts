import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { decodeBase58, encodeBase58 } from "../src/base58.js";
import { decodeBase58Check, encodeBase58Check } from "../src/index.js";

describe("base58", () => {
  it("round-trips base58", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) =>
        assert.deepEqual(decodeBase58(encodeBase58(bytes)), bytes),
      ),
    );
    assert.equal(decodeBase58("0"), undefined);
  });

  it("round-trips with a checksum and rejects a wrong one", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = encodeBase58Check(bytes);
        assert.deepEqual(decodeBase58Check(text), bytes);
        const changed = (text.startsWith("z") ? "y" : "z") + text.slice(1);
        assert.equal(decodeBase58Check(changed), undefined);
      }),
    );
    assert.equal(decodeBase58Check("111"), undefined);
  });
});
