import assert from "node:assert/strict";
import { keccak256, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import type { TrieFault } from "../src/check.js";
import { checkTrie, HashSet, Trie } from "../src/index.js";

function example(): { store: MemoryStore; roots: Uint8Array[] } {
  const store = new MemoryStore();
  const trie = new Trie(store);
  const roots: Uint8Array[] = [];
  for (let i = 0; i < 200; i++) {
    trie.put(keccak256(Uint8Array.of(i)), new Uint8Array(20 + (i % 30)).fill(i));
    if (i % 20 === 19) roots.push(trie.save(store));
  }
  return { store, roots };
}

describe("trie check", () => {
  it("visits every stored node of all roots once", () => {
    const { store, roots } = example();
    const visited = new HashSet();
    const faults: TrieFault[] = [];
    let seen = 0;
    for (const root of roots) {
      const { nodes, values } = checkTrie(store, root, visited, (fault) => faults.push(fault));
      seen += nodes + values;
    }
    assert.deepEqual(faults, []);
    assert.equal(seen, store.entries.size);
    assert.equal(visited.size, store.entries.size);
  });

  it("reports missing and corrupt nodes and values", () => {
    const { store, roots } = example();
    const root = roots.at(-1)!;
    const read: string[] = [];
    const recording = {
      get(hash: Uint8Array) {
        read.push(toHex(hash));
        return store.get(hash);
      },
    };
    checkTrie(recording, root, new HashSet(), () => assert.fail());
    const [missing, corrupt] = read.filter((hash) => hash !== toHex(root)).slice(-2) as [string, string];
    store.entries.delete(missing);
    store.entries.set(corrupt, Uint8Array.of(1, 2, 3));
    const faults: TrieFault[] = [];
    checkTrie(store, root, new HashSet(), (fault) => faults.push(fault));
    assert.deepEqual(
      new Set(faults.map(({ kind, hash }) => `${kind} ${toHex(hash)}`)),
      new Set([`missing ${missing}`, `corrupt ${corrupt}`]),
    );
  });
});
