import assert from "node:assert/strict";
import { fromHex, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { NodeCache, Trie } from "../src/index.js";
import { PlaceStore } from "./place-store.js";

const key = fc
  .array(fc.constantFrom(0x00, 0x01, 0x80, 0xff), { maxLength: 6 })
  .chain((head) =>
    fc.constantFrom(0, 0, 0, 4, 20, 30, 80).map((zeros) => Uint8Array.from([...head, ...Array(zeros).fill(7)])),
  );
const step = fc.record({
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constant("put" as const) },
    { weight: 6, arbitrary: fc.constant("delete" as const) },
    { weight: 1, arbitrary: fc.constantFrom("deleteRecursive", "hash", "save", "save", "copy", "revert", "reopen") },
  ),
  key,
  length: fc.constantFrom(1, 2, 8, 30, 33, 300),
});
/** Mostly changes of many keys, so that subtrees become too large to be packed, and small again. */
const manySteps = fc.array(
  fc.record({
    kind: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom("put" as const, "put" as const, "delete" as const) },
      { weight: 1, arbitrary: fc.constantFrom("deleteRecursive", "hash", "save", "copy", "revert", "reopen") },
    ),
    key: fc.uint8Array({ minLength: 2, maxLength: 3 }).map(([a, b, ...rest]) => Uint8Array.from([a! & 3, b!, ...rest])),
    length: fc.constantFrom(1, 20, 32, 33),
  }),
  { minLength: 50, maxLength: 500, size: "max" },
);

type Model = Map<string, Uint8Array>;

function built(model: Model): Trie {
  const trie = new Trie();
  for (const [hex, value] of model) trie.put(fromHex(hex), value);
  return trie;
}

function storedNodes(model: Model): Map<string, Uint8Array> {
  const store = new PlaceStore();
  built(model).saveByPlace(store);
  return new Map([...store.nodes].sort());
}

/** Keys and values; long values are taken from `model`. */
function contentOf(trie: Trie, model: Model): [string, Uint8Array][] {
  const entries = trie.entries(undefined, undefined, (key) => model.get(toHex(key)));
  return Array.from(entries, ({ key, value }) => [toHex(key), value]);
}

describe("trie saved by place", () => {
  const cases = [undefined, 20].flatMap((capacity) => [
    { capacity, many: false },
    { capacity, many: true },
  ]);
  for (const { capacity, many } of cases) {
    const name = `leaves the nodes of the last saved state only${many ? ", of many keys" : ""}`;
    it(`${name}${capacity === undefined ? "" : ", with a node cache"}`, () => {
      fc.assert(
        fc.property(many ? manySteps : fc.array(step, { maxLength: 80 }), (steps) => {
          const store = new PlaceStore();
          const cache = capacity === undefined ? undefined : new NodeCache(capacity);
          let trie = new Trie(store, undefined, cache);
          let model: Model = new Map();
          let copies: { trie: Trie; model: Model }[] = [];
          for (const { kind, key, length } of steps) {
            const hex = toHex(key);
            if (kind === "put") {
              const value = new Uint8Array(length).fill(length + key.length);
              trie.put(key, value);
              model.set(hex, value);
            } else if (kind === "delete") {
              trie.delete(key);
              model.delete(hex);
            } else if (kind === "deleteRecursive") {
              trie.deleteRecursive(key);
              if (model.has(hex)) for (const other of [...model.keys()]) if (other.startsWith(hex)) model.delete(other);
            } else if (kind === "hash") trie.retain();
            else if (kind === "copy") copies.push({ trie: trie.copy(), model: new Map(model) });
            else if (kind === "revert") {
              const last = copies.pop();
              if (last !== undefined) ({ trie, model } = last);
            } else {
              trie.saveByPlace(store);
              copies = [];
              assert.deepEqual(new Map([...store.nodes].sort()), storedNodes(model));
              if (kind === "reopen") trie = new Trie(store, trie.hash(), cache && new NodeCache(cache.capacity));
            }
          }
          const root = trie.hash();
          assert.deepEqual(root, built(model).hash());
          assert.deepEqual(
            contentOf(trie, model),
            [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
          );
          trie.saveByPlace(store);
          assert.deepEqual(new Map([...store.nodes].sort()), storedNodes(model));
          const reopened = new Trie(store, root);
          assert.deepEqual(contentOf(reopened, model), contentOf(built(model), model));
        }),
        { numRuns: runs(many ? 100 : 1000) },
      );
    });
  }
});
