import assert from "node:assert/strict";
import { assertSameBytes, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import {
  compressPublicKey,
  concatBytes,
  decodePoint,
  fastSecp256k1,
  keccak256,
  portableSecp256k1,
} from "../../src/index.js";

const KEY = keccak256(Uint8Array.of(1));
const POINT = portableSecp256k1.publicKey(KEY);
const HASH = keccak256(Uint8Array.of(2));

function seeds(): Uint8Array[] {
  const full = concatBytes(Uint8Array.of(4), POINT);
  return [full, compressPublicKey(full)!, concatBytes(Uint8Array.of(6 + (POINT[63]! & 1)), POINT)];
}

function signed(): Uint8Array {
  const { signature, recovery } = portableSecp256k1.sign(HASH, KEY);
  return concatBytes(HASH, signature, Uint8Array.of(recovery));
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "public-key": decoding({
    seeds,
    decode: decodePoint,
    refusals: [],
    check(point, input) {
      if (point === undefined) return;
      assert.equal(point.length, 64);
      assertSameBytes(decodePoint(compressPublicKey(input)!)!, point);
    },
  }),
  /** Both backends recover the same key. */
  signature: {
    seeds: () => [signed()],
    maxLength: 97,
    run(input) {
      if (input.length !== 97) return;
      const [hash, signature, recovery] = [input.subarray(0, 32), input.subarray(32, 96), input[96]! & 3];
      const portable = portableSecp256k1.recover(hash, signature, recovery);
      assert.deepEqual(fastSecp256k1?.recover(hash, signature, recovery), fastSecp256k1 && portable);
    },
  },
};
