import assert from "node:assert/strict";
import { keccak256, toHex, utf8 } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import type { BlockHeader } from "@cambium/types";
import { ORPHAN_LIMITS, type Orphan } from "../../src/gossip/orphan-store.js";
import { OrphanStore } from "../../src/index.js";

function hashOf(name: string): Uint8Array {
  return keccak256(utf8(name));
}

function orphan(
  name: string,
  parent: string,
  own: Partial<{ from: string; work: number; number: number; size: number }>,
) {
  const { from = "peer", work = 1, number = 1, size = 10 } = own;
  const header = { hash: hashOf(name), parentHash: hashOf(parent), number, difficultyValue: BigInt(work) };
  const encoded = new Uint8Array(size);
  return {
    id: toHex(header.hash),
    header: header as unknown as BlockHeader,
    encoded,
    from,
    isBodyChecked: true,
  } satisfies Orphan;
}

describe("store of orphan blocks", () => {
  const limits = { blocks: 4, bytes: 100, blocksPerPeer: 3 };
  const names = (store: OrphanStore, all: readonly string[]) => all.filter((name) => store.get(toHex(hashOf(name))));

  it("has the bounds of the specification", () => {
    assert.deepEqual(ORPHAN_LIMITS, { blocks: 256, bytes: 67_108_864, blocksPerPeer: 32 });
  });

  it("evicts the lowest work first, then the oldest", () => {
    const store = new OrphanStore(limits);
    for (const [i, work] of [5, 1, 1, 7].entries()) store.add(orphan(`${i}`, "x", { work, from: `p${i}` }));
    assert.equal(store.add(orphan("4", "x", { work: 3, from: "p4" })), true);
    assert.deepEqual(names(store, ["0", "1", "2", "3", "4"]), ["0", "2", "3", "4"]);
    assert.equal(store.add(orphan("5", "x", { work: 1, from: "p5" })), true);
    assert.deepEqual(names(store, ["0", "2", "3", "4", "5"]), ["0", "3", "4", "5"]);
  });

  it("does not store a block with less work than any other", () => {
    const store = new OrphanStore(limits);
    for (let i = 0; i < 4; i++) store.add(orphan(`${i}`, "x", { work: 5, from: `p${i}` }));
    assert.equal(store.add(orphan("4", "x", { work: 1, from: "p4" })), false);
    assert.equal(store.count, 4);
  });

  it("counts the work of stored ancestors, in whatever order they arrive", () => {
    const store = new OrphanStore(limits);
    store.add(orphan("child", "parent", { work: 1, from: "a" }));
    store.add(orphan("parent", "x", { work: 5, from: "b" }));
    store.add(orphan("lone", "y", { work: 5, from: "c" }));
    store.add(orphan("other", "z", { work: 9, from: "d" }));
    store.add(orphan("fifth", "z", { work: 9, from: "e" }));
    assert.deepEqual(names(store, ["child", "parent", "lone", "other", "fifth"]), ["child", "lone", "other", "fifth"]);
    // Only the child's own work counts if its parent is missing.
    store.add(orphan("sixth", "z", { work: 9, from: "f" }));
    assert.deepEqual(names(store, ["child", "lone", "other", "fifth", "sixth"]), ["lone", "other", "fifth", "sixth"]);
  });

  it("bounds the blocks of one peer, and evicts that peer's own", () => {
    const store = new OrphanStore(limits);
    store.add(orphan("other's", "x", { work: 1, from: "b" }));
    for (let i = 0; i < 3; i++) store.add(orphan(`${i}`, "x", { work: 2 + i, from: "a" }));
    store.add(orphan("3", "x", { work: 9, from: "a" }));
    assert.deepEqual(names(store, ["other's", "0", "1", "2", "3"]), ["other's", "1", "2", "3"]);
  });

  it("bounds the bytes", () => {
    const store = new OrphanStore(limits);
    store.add(orphan("0", "x", { size: 60, work: 1, from: "a" }));
    store.add(orphan("1", "x", { size: 60, work: 2, from: "b" }));
    assert.deepEqual(names(store, ["0", "1"]), ["1"]);
    assert.equal(store.bytes, 60);
    assert.equal(store.add(orphan("2", "x", { size: 101, work: 3, from: "c" })), false);
    assert.equal(store.count, 0);
  });

  it("finds the missing ancestor through stored blocks, and removes children", () => {
    const store = new OrphanStore();
    const tip = orphan("c", "b", { number: 12 });
    store.add(tip);
    store.add(orphan("b", "a", { number: 11 }));
    assert.deepEqual(store.missingAncestor(tip), { hash: hashOf("a"), number: 10 });
    const ids = store.takeChildren(toHex(hashOf("a"))).map(({ id }) => id);
    assert.deepEqual(ids, [toHex(hashOf("b"))]);
    assert.deepEqual(store.takeChildren(toHex(hashOf("a"))), []);
    assert.equal(store.count, 1);
  });

  it("drops descendants, and heights out of range", () => {
    const store = new OrphanStore();
    for (const [name, parent] of ["ba", "cb", "db", "ed", "yx"]) store.add(orphan(name!, parent!, { number: 5 }));
    store.dropDescendants(toHex(hashOf("a")));
    assert.deepEqual(names(store, ["b", "c", "d", "e", "y"]), ["y"]);
    store.add(orphan("low", "x", { number: 2 }));
    store.add(orphan("high", "x", { number: 9 }));
    store.prune(3, 8);
    assert.deepEqual(names(store, ["y", "low", "high"]), ["y"]);
  });

  it("keeps its totals consistent over random operations", () => {
    const name = fc.integer({ min: 0, max: 30 }).map(String);
    const step = fc.record({
      name,
      parent: name,
      from: fc.constantFrom("a", "b", "c"),
      work: fc.integer({ min: 1, max: 5 }),
      size: fc.integer({ min: 1, max: 40 }),
      take: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new OrphanStore(limits);
        for (const { name, parent, take, ...own } of steps) {
          // Hashes cannot form cycles.
          if (take) store.takeChildren(toHex(hashOf(parent)));
          else if (Number(name) > Number(parent)) store.add(orphan(name, parent, own));
          const held = Array.from({ length: 31 }, (_, i) => store.get(toHex(hashOf(`${i}`)))).filter((one) => one);
          assert.equal(held.length, store.count);
          assert.equal(
            held.reduce((sum, one) => sum + one!.encoded.length, 0),
            store.bytes,
          );
          assert.ok(store.count <= limits.blocks && store.bytes <= limits.bytes);
          for (const peer of ["a", "b", "c"]) {
            assert.ok(held.filter((one) => one!.from === peer).length <= limits.blocksPerPeer);
          }
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
