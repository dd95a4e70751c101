import assert from "node:assert/strict";
import { EMPTY_TRIE_ROOT, equalBytes, fromHex, keccak256, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { fc, runs } from "@cambium/test-utils/properties";
import { NodeCache, orderedListProof, orderedListRoot, Trie, TrieError } from "../src/index.js";

/** Few distinct bytes, so that keys share prefixes and are prefixes of each other. */
const key = fc
  .array(fc.constantFrom(0x00, 0x01, 0x80, 0xff), { maxLength: 6 })
  .chain((head) =>
    fc.constantFrom(0, 0, 0, 4, 20, 30, 50).map((zeros) => Uint8Array.from([...head, ...Array(zeros).fill(7)])),
  );
const value = fc.oneof(
  { weight: 5, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 4 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(30, 31, 32, 33, 40, 41, 300).map((length) => new Uint8Array(length).fill(length)),
  },
);
type Step = {
  kind: "put" | "delete" | "deleteRecursive" | "hash" | "save" | "copy";
  key: Uint8Array;
  value: Uint8Array;
};
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.constant("put" as const) },
    { weight: 5, arbitrary: fc.constant("delete" as const) },
    { weight: 1, arbitrary: fc.constantFrom("deleteRecursive", "hash", "save", "copy") },
  ),
  key,
  value,
});

type Model = Map<string, Uint8Array>;

function applyToModel(model: Model, { kind, key, value }: Step): void {
  const hex = toHex(key);
  if (kind === "put") model.set(hex, value);
  if (kind === "delete") model.delete(hex);
  if (kind === "deleteRecursive" && model.has(hex)) {
    for (const other of model.keys()) if (other.startsWith(hex)) model.delete(other);
  }
}

function fresh(model: Model): Trie {
  const trie = new Trie();
  for (const hex of [...model.keys()].sort()) trie.put(fromHex(hex), model.get(hex));
  return trie;
}

/** A copy taken during the run, with the content it must keep. */
interface Kept {
  trie: Trie;
  model: Model;
}

function run(
  steps: readonly Step[],
  store: MemoryStore,
  cache: NodeCache | undefined,
): { trie: Trie; model: Model; kept: Kept[] } {
  let trie = new Trie(store, undefined, cache);
  const model: Model = new Map();
  const kept: Kept[] = [];
  for (const step of steps) {
    applyToModel(model, step);
    if (step.kind === "put") trie.put(step.key, step.value);
    if (step.kind === "delete") trie.delete(step.key);
    if (step.kind === "deleteRecursive") trie.deleteRecursive(step.key);
    if (step.kind === "hash") trie.hash();
    if (step.kind === "save") trie = new Trie(store, trie.save(store), cache);
    if (step.kind === "copy") kept.push({ trie: trie.copy(), model: new Map(model) });
  }
  return { trie, model, kept };
}

function assertHolds(trie: Trie, model: Model): void {
  const expected = fresh(model);
  assert.equal(toHex(trie.hash()), toHex(expected.hash()));
  assert.equal(toHex(trie.oldHash(true)), toHex(expected.oldHash(true)));
  assert.equal(trie.childrenSize(), expected.childrenSize());
  assert.deepEqual(
    [...trie.entries()].map(({ key, value }) => [toHex(key), value]),
    [...model].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  for (const [hex, value] of model) {
    assert.deepEqual(trie.get(fromHex(hex)), value);
    assert.equal(trie.valueLength(fromHex(hex)), value.length);
    assert.deepEqual(trie.valueHash(fromHex(hex)), keccak256(value));
    assert.equal(trie.get(fromHex(`${hex}42`)), undefined);
  }
}

describe("trie against a map model", () => {
  for (const withCache of [false, true]) {
    it(`agrees after random operations${withCache ? ", with a node cache" : ""}`, () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
          const store = new MemoryStore();
          const { trie, model, kept } = run(steps, store, withCache ? new NodeCache(50) : undefined);
          assertHolds(trie, model);
          for (const { trie, model } of kept) assertHolds(trie, model);
          assertHolds(new Trie(store, trie.save(store)), model);
        }),
        { numRuns: runs(300) },
      );
    });
  }

  it("has a root independent of insertion order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { selector: toHex, maxLength: 30 }), fc.integer(), (keys, seed) => {
        const forward = new Trie();
        const shuffled = new Trie();
        for (const key of keys) forward.put(key, keccak256(key));
        const order = keys.map((key, i) => ({ key, rank: toHex(keccak256(Uint8Array.of(i, seed))) }));
        for (const { key } of order.sort((a, b) => (a.rank < b.rank ? -1 : 1))) shuffled.put(key, keccak256(key));
        assert.deepEqual(forward.hash(), shuffled.hash());
      }),
    );
  });

  it("iterates over entries with a prefix", () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { selector: toHex, maxLength: 30 }), key, fc.nat(8), (keys, prefix, limit) => {
        const trie = new Trie();
        for (const key of keys) trie.put(key, Uint8Array.of(1));
        const store = new MemoryStore();
        const reopened = new Trie(store, trie.save(store));
        const expected = keys.map(toHex).filter((hex) => hex.startsWith(toHex(prefix)));
        const short = expected.filter((hex) => hex.length <= limit * 2);
        assert.deepEqual(
          [...reopened.entries(prefix)].map(({ key }) => toHex(key)),
          expected.sort(),
        );
        assert.deepEqual(
          [...reopened.entries(prefix, limit)].map(({ key }) => toHex(key)),
          short.sort(),
        );
      }),
    );
  });

  it("is empty after removing everything", () => {
    const trie = new Trie();
    const keys = Array.from({ length: 200 }, (_, i) => keccak256(Uint8Array.of(i)));
    for (const key of keys) trie.put(key, key);
    for (const key of keys) trie.delete(key);
    assert.deepEqual(trie.hash(), EMPTY_TRIE_ROOT);
  });
});

describe("trie over a store", () => {
  it("changes one of many keys without reading siblings", () => {
    const store = new MemoryStore();
    const trie = new Trie(store);
    for (let i = 0; i < 5000; i++) trie.put(keccak256(Uint8Array.of(i >> 8, i)), new Uint8Array(40).fill(i));
    const root = trie.save(store);
    store.reads = 0;
    const reopened = new Trie(store, root);
    reopened.put(keccak256(Uint8Array.of(0, 7)), Uint8Array.of(1));
    const changed = reopened.hash();
    assert.ok(store.reads < 25, `${store.reads} reads`);
    trie.put(keccak256(Uint8Array.of(0, 7)), Uint8Array.of(1));
    assert.deepEqual(changed, trie.hash());
  });

  it("saves nothing after putting an unchanged value", () => {
    const store = new MemoryStore();
    const trie = new Trie(store);
    for (let i = 0; i < 100; i++) trie.put(keccak256(Uint8Array.of(i)), new Uint8Array(50).fill(i));
    const reopened = new Trie(store, trie.save(store));
    for (let i = 0; i < 100; i++) reopened.put(keccak256(Uint8Array.of(i)), new Uint8Array(50).fill(i));
    const again = new MemoryStore();
    reopened.save(again);
    assert.equal(again.entries.size, 0);
  });

  it("names a missing node by its hash", () => {
    const hash = keccak256(Uint8Array.of(9));
    assert.throws(
      () => new Trie(new MemoryStore(), hash).get(Uint8Array.of(1)),
      (error) =>
        error instanceof TrieError && error.details.code === "MISSING_NODE" && equalBytes(error.details.hash, hash),
    );
  });

  it("names a missing long value by its hash", () => {
    const value = new Uint8Array(33);
    const store = new MemoryStore();
    const trie = new Trie();
    trie.put(Uint8Array.of(1), value);
    const root = trie.save(store);
    store.entries.delete(toHex(keccak256(value)));
    const reopened = new Trie(store, root);
    assert.equal(reopened.valueLength(Uint8Array.of(1)), 33);
    assert.throws(
      () => reopened.get(Uint8Array.of(1)),
      (error) => error instanceof TrieError && error.code === "MISSING_VALUE",
    );
  });

  it("rejects a value above the limit", () => {
    assert.throws(
      () => new Trie().put(Uint8Array.of(1), new Uint8Array(0x1000000)),
      (error) => error instanceof TrieError && error.code === "VALUE_TOO_LONG",
    );
  });

  it("reads a store of old-format nodes", () => {
    const left = fromHex("0200000000070206");
    const right = fromHex("0200000000070407");
    const rootMessage = fromHex(`020000030000${toHex(keccak256(left))}${toHex(keccak256(right))}`);
    const store = new MemoryStore();
    for (const message of [left, right, rootMessage]) store.put(keccak256(message), message);
    const trie = new Trie(store, keccak256(rootMessage));
    assert.deepEqual(trie.get(fromHex("01")), fromHex("06"));
    assert.deepEqual(trie.get(fromHex("82")), fromHex("07"));
    assert.deepEqual(trie.oldHash(false), keccak256(rootMessage));
  });
});

describe("proofs", () => {
  it("lead from a value to the root", () => {
    const items = Array.from({ length: 150 }, (_, i) => new Uint8Array(i + 1).fill(i));
    const root = orderedListRoot(items, "new");
    for (const index of [0, 1, 127, 128, 149]) {
      const proof = orderedListProof(items, index)!;
      assert.deepEqual(keccak256(proof.at(-1)!), root);
      for (let i = 0; i + 1 < proof.length; i++) {
        const parent = toHex(proof[i + 1]!);
        assert.ok(parent.includes(toHex(keccak256(proof[i]!))) || parent.includes(toHex(proof[i]!)));
      }
    }
    assert.equal(orderedListProof(items, 150), null);
    assert.equal(new Trie().proof(Uint8Array.of(1)), null);
  });

  it("lead to the key's value, or prove its absence", () => {
    const trie = new Trie();
    for (let i = 0; i < 50; i++) trie.put(keccak256(Uint8Array.of(i)), new Uint8Array(i + 1).fill(i));
    for (let i = 0; i < 60; i++) {
      const key = keccak256(Uint8Array.of(i));
      const { messages, isLongValue } = trie.pathTo(key);
      assert.deepEqual(keccak256(messages[0]!), trie.hash());
      assert.equal(isLongValue, i < 50 && i + 1 > 32);
      if (i < 50) assert.deepEqual([...messages].reverse(), trie.proof(key));
      assert.deepEqual(trie.nodeHash(key), i < 50 ? keccak256(messages.at(-1)!) : undefined);
    }
    assert.deepEqual(new Trie().pathTo(Uint8Array.of(1)), { messages: [], isLongValue: false });
  });
});
