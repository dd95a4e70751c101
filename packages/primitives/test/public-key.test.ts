import assert from "node:assert/strict";
import { fc, runs } from "@cambium/test-utils/properties";
import { compressPublicKey, concatBytes, decodePoint, secp256k1 } from "../src/index.js";

const privateKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes[0]! > 0 && bytes[0]! < 0xff);

describe("forms of a public key", () => {
  it("decode to one point", () => {
    fc.assert(
      fc.property(privateKey, (secret) => {
        const point = secp256k1.publicKey(secret);
        const parity = point[63]! & 1;
        const compressed = concatBytes(Uint8Array.of(2 + parity), point.subarray(0, 32));
        for (const prefix of [4, 6 + parity]) {
          const key = concatBytes(Uint8Array.of(prefix), point);
          assert.deepEqual(decodePoint(key), point);
          assert.deepEqual(compressPublicKey(key), compressed);
        }
        assert.deepEqual(decodePoint(compressed), point);
        assert.equal(decodePoint(concatBytes(Uint8Array.of(7 - parity), point)), undefined);
      }),
      { numRuns: runs(20) },
    );
  });

  it("reject anything else", () => {
    for (const key of [
      new Uint8Array(0),
      Uint8Array.of(0),
      new Uint8Array(33),
      new Uint8Array(64),
      new Uint8Array(65),
    ]) {
      assert.equal(decodePoint(key), undefined);
      assert.equal(compressPublicKey(key), undefined);
    }
  });
});
