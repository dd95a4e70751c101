import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { LruCache } from "../src/index.js";

describe("LRU cache", () => {
  it("evicts the least recently used entry", () => {
    const cache = new LruCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    assert.equal(cache.get("a"), 1);
    cache.set("c", 3);
    assert.deepEqual([cache.has("a"), cache.has("b"), cache.has("c")], [true, false, true]);
    cache.set("a", 4);
    cache.set("d", 5);
    assert.deepEqual([cache.get("a"), cache.get("c"), cache.get("d"), cache.size], [4, undefined, 5, 2]);
    cache.delete("a");
    assert.equal(cache.size, 1);
    cache.clear();
    assert.equal(cache.size, 0);
  });

  it("behaves as a list ordered by use", () => {
    const operation = fc.tuple(fc.constantFrom("get", "set", "delete"), fc.nat({ max: 8 }));
    fc.assert(
      fc.property(fc.nat({ max: 5 }), fc.array(operation, { maxLength: 60 }), (capacity, operations) => {
        const cache = new LruCache<number, number>(capacity);
        let model: [number, number][] = [];
        operations.forEach(([kind, key], i) => {
          const found = model.find(([known]) => known === key);
          const others = model.filter((entry) => entry !== found);
          if (kind === "get") {
            assert.equal(cache.get(key), found?.[1]);
            model = found ? [...others, found] : others;
          } else if (kind === "set") {
            cache.set(key, i);
            model = [...others, [key, i] as [number, number]].slice(-capacity || others.length + 1);
          } else {
            cache.delete(key);
            model = others;
          }
          assert.equal(cache.size, model.length);
        });
      }),
    );
  });
});
