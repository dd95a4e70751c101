import assert from "node:assert/strict";
import { fc, runs } from "@cambium/test-utils/properties";
import { EMPTY_KECCAK, EMPTY_TRIE_ROOT, fastKeccak, keccak256, portableKeccak, toHex, utf8 } from "../src/index.js";

describe("Keccak-256", () => {
  it("hashes known values", () => {
    assert.equal(toHex(EMPTY_KECCAK), "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
    assert.equal(toHex(EMPTY_TRIE_ROOT), "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
    assert.equal(toHex(keccak256(utf8("abc"))), "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45");
  });

  it("loads the fast backend", () => assert.equal(fastKeccak?.name, "fast"));

  it("agrees between the backends at every length around block boundaries", () => {
    for (let length = 0; length < 420; length++) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 0xff);
      assert.equal(toHex(keccak256(data)), toHex(portableKeccak.keccak256(data)));
    }
  });

  it("agrees between the backends on random bytes, including views", () => {
    const data = fc.tuple(fc.uint8Array({ maxLength: 5000 }), fc.nat({ max: 50 }));
    fc.assert(
      fc.property(data, ([bytes, start]) => {
        const part = bytes.subarray(start);
        assert.equal(toHex(keccak256(part)), toHex(portableKeccak.keccak256(part)));
      }),
      { numRuns: runs(150) },
    );
  });

  it("agrees between the backends on messages longer than the fast one's memory", () => {
    for (const length of [63_919, 63_920, 63_921, 127_840, 200_000]) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 11) & 0xff);
      assert.equal(toHex(keccak256(data)), toHex(portableKeccak.keccak256(data)));
    }
  });

  it("returns a separate array each time", () => {
    const first = keccak256(Uint8Array.of(1));
    const copy = Uint8Array.from(first);
    keccak256(Uint8Array.of(2));
    assert.deepEqual(first, copy);
  });

  it("hashes input in parts like the whole, with both backends, and continues after a digest", () => {
    const lengths = fc.array(fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 140_000 })), { maxLength: 6 });
    fc.assert(
      fc.property(lengths, (parts) => {
        const states = [fastKeccak!.createState(), portableKeccak.createState()];
        const whole = Uint8Array.from(
          { length: parts.reduce((sum, part) => sum + part, 0) },
          (_, i) => (i * 13) & 0xff,
        );
        let end = 0;
        for (const part of parts) {
          const expected = toHex(keccak256(whole.subarray(0, end + part)));
          for (const state of states) {
            state.update(whole.subarray(end, end + part));
            assert.equal(toHex(state.digest()), expected);
          }
          end += part;
        }
      }),
      { numRuns: runs(15) },
    );
  });
});
