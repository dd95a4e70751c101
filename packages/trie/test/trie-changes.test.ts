import assert from "node:assert/strict";
import { fromHex, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { type NodeReader, storedParts, Trie, trieChanges } from "../src/index.js";

type Model = ReadonlyMap<string, Uint8Array>;

/** Keys that are prefixes of others, and long ones with a common beginning. */
const key = fc
  .array(fc.constantFrom(0x00, 0x01, 0x80, 0xff), { maxLength: 5 })
  .chain((head) => fc.constantFrom(0, 0, 0, 4, 30, 80).map((tail) => [...head, ...Array(tail).fill(7)]))
  .map((bytes) => toHex(Uint8Array.from(bytes)));
const value = fc
  .tuple(fc.constantFrom(1, 2, 8, 32, 33, 300), fc.constantFrom(1, 2))
  .map(([length, fill]) => new Uint8Array(length).fill(fill));
const model: fc.Arbitrary<Model> = fc.array(fc.tuple(key, value), { maxLength: 30 }).map((all) => new Map(all));

/** Models in pairs that have much in common. */
const models = fc
  .tuple(model, fc.array(fc.tuple(key, fc.option(value, { nil: undefined })), { maxLength: 8 }))
  .map(([before, changes]) => {
    const after = new Map(before);
    for (const [hex, changed] of changes) {
      if (changed === undefined) after.delete([...after.keys()][hex.length % Math.max(after.size, 1)] ?? hex);
      else after.set(hex, changed);
    }
    return [before, after] as const;
  });

class HashStore implements NodeReader {
  readonly nodes = new Map<string, Uint8Array>();

  get(hash: Uint8Array): Uint8Array | undefined {
    return this.nodes.get(toHex(hash));
  }

  save(model: Model): Uint8Array {
    return built(model).save({ put: (hash, bytes) => this.nodes.set(toHex(hash), bytes) });
  }
}

function built(model: Model): Trie {
  const trie = new Trie();
  for (const [hex, content] of model) trie.put(fromHex(hex), content);
  return trie;
}

describe("changes between tries", () => {
  it("are those that make one model of another", () => {
    fc.assert(
      fc.property(models, ([before, after]) => {
        const store = new HashStore();
        const changes = trieChanges(store, store.save(before), store.save(after));
        const expected = new Map<string, Uint8Array | undefined>();
        for (const hex of before.keys()) if (!after.has(hex)) expected.set(hex, undefined);
        for (const [hex, content] of after) {
          const old = before.get(hex);
          if (old === undefined || toHex(old) !== toHex(content)) expected.set(hex, content);
        }
        const found = changes.map(({ key, value }) => [toHex(key), value] as const);
        assert.equal(new Map(found).size, found.length);
        assert.deepEqual(new Map([...found].sort()), new Map([...expected].sort()));
      }),
      { numRuns: runs(500) },
    );
  });

  it("reads only nodes in which the tries differ", () => {
    const store = new HashStore();
    const before = new Map(Array.from({ length: 2_000 }, (_, i) => [toHex(spreadKey(i)), new Uint8Array(40).fill(i)]));
    const after = new Map(before).set(toHex(spreadKey(7)), Uint8Array.of(1));
    const roots = [store.save(before), store.save(after)] as const;
    let reads = 0;
    const reader = {
      get(hash: Uint8Array) {
        reads++;
        return store.get(hash);
      },
    };
    assert.equal(trieChanges(reader, ...roots).length, 1);
    assert(reads < 100, `${reads} reads`);
  });
});

describe("parts of a stored trie", () => {
  it("are its values, and its nodes as they are stored under their places", () => {
    fc.assert(
      fc.property(model, (content) => {
        const store = new HashStore();
        const byPlace = new Map<string, Uint8Array>();
        const placed = new Trie({ byPlace: true, get: () => undefined });
        for (const [hex, bytes] of content) placed.put(fromHex(hex), bytes);
        const sink = (place: Uint8Array, message: Uint8Array | undefined) => {
          if (message !== undefined) byPlace.set(toHex(place), message);
        };
        placed.saveByPlace({ put: sink });
        const nodes = new Map<string, Uint8Array>();
        const values: [string, Uint8Array][] = [];
        for (const part of storedParts(store, store.save(content))) {
          if (part.kind === "record") nodes.set(toHex(part.place), part.record);
          else if (part.kind === "value") values.push([toHex(part.key), part.value]);
        }
        assert.deepEqual(new Map([...nodes].sort()), new Map([...byPlace].sort()));
        assert.deepEqual(
          values,
          [...content].sort(([a], [b]) => (a < b ? -1 : 1)),
        );
      }),
      { numRuns: runs(300) },
    );
  });
});

/** Keys whose first bits differ, in no order. */
function spreadKey(i: number): Uint8Array {
  return Uint8Array.of((i * 37) & 0xff, i >> 8, i, 1);
}
