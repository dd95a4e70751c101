import assert from "node:assert/strict";
import { keccak256, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { fc } from "@cambium/test-utils/properties";
import { PackedNodes, PackedNodesWriter, Trie } from "../src/index.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

describe("packed nodes", () => {
  it("have the bytes of every hash, and of no other", () => {
    const hash = fc.tuple(fc.constantFrom(0, 1, 2), fc.constantFrom(0, 0xff)).map(([first, last]) => {
      const bytes = new Uint8Array(32);
      bytes[0] = first;
      bytes[31] = last;
      return bytes;
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(hash, fc.uint8Array({ maxLength: 100 }))), hash, (entries, other) => {
        const writer = new PackedNodesWriter();
        const expected = new Map<string, Uint8Array>();
        for (const [key, bytes] of entries) {
          writer.put(key, bytes);
          if (!expected.has(toHex(key))) expected.set(toHex(key), bytes);
        }
        const nodes = new PackedNodes(writer.finish(UNBOUNDED)!);
        for (const key of [other, ...entries.map(([one]) => one)]) {
          assert.deepEqual(nodes.get(key), expected.get(toHex(key)));
        }
      }),
    );
  });

  it("have what a trie adds to its store, which the trie can still save", () => {
    const store = new MemoryStore();
    const trie = new Trie(store);
    const keys = Array.from({ length: 200 }, (_, i) => keccak256(Uint8Array.of(i)));
    for (const key of keys.slice(0, 150)) trie.put(key, key.subarray(0, 20));
    trie.save(store);
    const changed = trie.copy();
    const long = new Uint8Array(1000).fill(7);
    for (const key of keys.slice(100)) changed.put(key, long);
    const writer = new PackedNodesWriter();
    changed.collect(writer);
    const packed = writer.finish(UNBOUNDED)!;
    assert(packed.length < 64 * 1024, `${packed.length} bytes`);
    const added = new PackedNodes(packed);
    const opened = () => new Trie({ get: (hash) => added.get(hash) ?? store.get(hash) }, changed.hash());
    const content = [...changed.entries()];
    assert.deepEqual([...opened().entries()], content);
    assert.throws(() => [...new Trie(store, changed.hash()).entries()]);
    changed.save(store);
    assert.deepEqual([...new Trie(store, changed.hash()).entries()], content);
  });

  it("are not written beyond the limit", () => {
    const writer = new PackedNodesWriter();
    writer.put(new Uint8Array(32), new Uint8Array(1000));
    const size = writer.finish(UNBOUNDED)!.length;
    assert.equal(writer.finish(size)!.length, size);
    assert.equal(writer.finish(size - 1), undefined);
  });
});
