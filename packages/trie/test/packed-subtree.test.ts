import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { Trie, TrieError } from "../src/index.js";
import { Node } from "../src/nodes/node.js";
import { isPackedSubtree, putPacked, removePacked } from "../src/nodes/packed-subtree.js";
import { PackedWriter } from "../src/nodes/packed-writer.js";

type Entry = readonly [key: Uint8Array, value: Uint8Array];

const entries: fc.Arbitrary<Entry[]> = fc.uniqueArray(
  fc.tuple(
    fc.array(fc.constantFrom(0x00, 0x01, 0x80, 0xff), { maxLength: 5 }).map((bytes) => Uint8Array.from(bytes)),
    fc.constantFrom(1, 5, 32).map((length) => new Uint8Array(length).fill(length)),
  ),
  { minLength: 1, maxLength: 30, selector: ([key]) => toHex(key) },
);

function record(content: readonly Entry[]): Uint8Array {
  const writer = new PackedWriter();
  for (const [key, value] of [...content].sort(([a], [b]) => Buffer.compare(a, b))) {
    writer.add({ bytes: key, from: 0, to: key.length }, { bytes: value, from: 0, to: value.length }, value.length);
  }
  return writer.record();
}

function root(content: readonly Entry[]): Uint8Array {
  const trie = new Trie();
  for (const [key, value] of content) trie.put(key, value);
  return trie.hash();
}

/** A node whose path starts at bit `start`, with a record. */
function packed(bytes: Uint8Array, start = 0): Node {
  const node = new Node(start, start);
  node.packed = bytes;
  node.loaded = false;
  return node;
}

describe("packed subtrees", () => {
  it("have the hashes of their nodes", () => {
    fc.assert(
      fc.property(entries, (content) => {
        assert(isPackedSubtree(record(content), root(content), 0));
        assert(!isPackedSubtree(record(content), new Uint8Array(32), 0));
      }),
      { numRuns: runs(500) },
    );
  });

  it("change as the trie does", () => {
    fc.assert(
      fc.property(entries, entries, (before, changes) => {
        const content = new Map(before.map((entry) => [toHex(entry[0]), entry]));
        let bytes = record(before);
        for (const [key, value] of changes) {
          content.set(toHex(key), [key, value]);
          bytes = putPacked(packed(bytes), key, value)!;
        }
        assert.deepEqual(bytes, record([...content.values()]));
        assert.equal(putPacked(packed(bytes), ...changes[0]!), bytes);
      }),
      { numRuns: runs(500) },
    );
  });

  it("lose keys as the trie does, while there are two", () => {
    fc.assert(
      fc.property(entries, entries, (content, removed) => {
        const left = new Map(content.map((entry) => [toHex(entry[0]), entry]));
        let bytes = record(content);
        for (const [key] of [...removed, ...content]) {
          const next = removePacked(packed(bytes), key);
          if (!left.has(toHex(key))) assert.equal(next, left.size > 1 ? bytes : undefined);
          else if (left.size < 3) assert.equal(next, undefined);
          else {
            left.delete(toHex(key));
            bytes = next!;
            assert.deepEqual(bytes, record([...left.values()]));
          }
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it("refuse long values, and to grow without limit", () => {
    let bytes = record([[Uint8Array.of(0, 0), Uint8Array.of(1)]]);
    assert.equal(putPacked(packed(bytes), Uint8Array.of(0, 1), new Uint8Array(33)), undefined);
    let keys = 1;
    for (let next: Uint8Array | undefined = bytes; next !== undefined; keys++) {
      bytes = next;
      next = putPacked(packed(bytes), Uint8Array.of(keys >> 8, keys & 0xff), new Uint8Array(32).fill(1));
    }
    assert(keys < 200, `${keys} keys`);
  });

  it("are recognised whatever their bytes are", () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(entries, damage, fc.integer({ min: 0, max: 40 }), fc.nat(), (content, changes, start, length) => {
        const bytes = Uint8Array.from(record(content));
        for (const [at, byte] of changes) bytes[1 + (at % (bytes.length - 1))] = byte;
        const damaged = bytes.slice(0, 1 + (length % bytes.length));
        for (const one of [bytes, damaged]) {
          assert(!isPackedSubtree(one, new Uint8Array(32), start));
          const reader = { byPlace: true, get: () => one };
          assert.throws(() => new Trie(reader, new Uint8Array(32).fill(1)).get(Uint8Array.of(0)), TrieError);
        }
      }),
      { numRuns: runs(2000) },
    );
  });
});
