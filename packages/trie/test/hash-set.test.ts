import assert from "node:assert/strict";
import { keccak256, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { HashSet } from "../src/index.js";

describe("hash set", () => {
  it("agrees with a built-in set while growing", () => {
    const [own, expected] = [new HashSet(), new Set<number>()];
    let seed = 1;
    for (let i = 0; i < 50_000; i++) {
      seed = (seed * 48271) % 2147483647;
      const value = seed % 30_000;
      const isNew = !expected.has(value);
      expected.add(value);
      assert.equal(own.add(keccak256(Uint8Array.from([value >> 8, value & 255]))), isNew, `addition ${i}`);
    }
    assert.equal(own.size, expected.size);
  });

  it("distinguishes hashes that share a slot", () => {
    const words = fc.array(fc.constantFrom(0, 1, 0x80, 0xff), { minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(fc.array(words, { maxLength: 200 }), (lists) => {
        const [own, expected] = [new HashSet(), new Set<string>()];
        for (const list of lists) {
          const hash = new Uint8Array(32);
          hash.set(list.slice(0, 12), 0);
          hash.set(list.slice(12), 13);
          assert.equal(own.add(hash), !expected.has(toHex(hash)), toHex(hash));
          expected.add(toHex(hash));
        }
      }),
    );
  });
});
