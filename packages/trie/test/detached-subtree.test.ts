import assert from "node:assert/strict";
import { equalBytes, fromHex, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { NodeCache, Trie, TrieError } from "../src/index.js";
import { PlaceStore } from "./place-store.js";

const OWNER = Uint8Array.of(1, 2);
/** Keys to the left below the owner, one to the right, and others, some of which have nodes in common with it. */
const BELOW = Array.from({ length: 40 }, (_, i) => Uint8Array.of(1, 2, i % 2, i, 9));
const BESIDE = [[1, 2, 0x80], [1, 2, 0x90], [1], [1, 3], [7, 7, 7, 7]].map((key) => Uint8Array.from(key));

/** A store with a second place for the nodes to the left below the owner. */
class TwoPlaces extends PlaceStore {
  private readonly second = new PlaceStore();
  isSecond = false;

  elsewhere(...args: Parameters<PlaceStore["get"]>): Uint8Array | undefined {
    return this.second.get(...args);
  }

  override put(place: Uint8Array, message: Uint8Array | undefined): void {
    const isBelow = place.length > OWNER.length + 1 && place[2]! < 0x80 && equalBytes(place.subarray(0, 2), OWNER);
    if (this.isSecond && isBelow) this.second.put(place, message);
    else super.put(place, message);
  }
}

type Model = Map<string, Uint8Array>;

class Subject {
  readonly store = new TwoPlaces();
  readonly cache: NodeCache | undefined;
  trie: Trie;
  model: Model = new Map();

  constructor(capacity: number | undefined) {
    this.cache = capacity === undefined ? undefined : new NodeCache(capacity);
    this.trie = new Trie(this.store, undefined, this.cache);
  }

  put(key: Uint8Array, length: number): void {
    const value = length === 0 ? undefined : new Uint8Array(length).fill(length);
    this.trie.put(key, value);
    if (value === undefined) this.model.delete(toHex(key));
    else this.model.set(toHex(key), value);
  }

  change(changes: readonly { key: Uint8Array; length: number }[]): void {
    for (const { key, length } of changes) this.put(key, length);
  }

  save(reopens: boolean): void {
    const root = this.trie.saveByPlace(this.store);
    if (reopens) this.trie = new Trie(this.store, root, this.cache && new NodeCache(this.cache.capacity));
  }

  compare(): void {
    const whole = new Trie();
    for (const [hex, value] of this.model) whole.put(fromHex(hex), value);
    assert.deepEqual(toHex(this.trie.hash()), toHex(whole.hash()));
    assert.deepEqual(this.trie.stateSize(), whole.stateSize());
  }

  detach(): void {
    this.trie.detach(OWNER);
    const owner = toHex(OWNER);
    for (const hex of [...this.model.keys()]) if (hex.startsWith(owner)) this.model.delete(hex);
  }
}

const change = fc.record({
  key: fc.constantFrom(...BELOW, ...BESIDE, ...BESIDE),
  length: fc.constantFrom(0, 1, 20, 32),
});
const phase = fc.record({ changes: fc.array(change, { maxLength: 20 }), saves: fc.boolean(), reopens: fc.boolean() });

describe("a subtree that is detached", () => {
  for (const capacity of [undefined, 10]) {
    it(`leaves its nodes in the store, from which it is attached${capacity === undefined ? "" : ", with a node cache"}`, () => {
      fc.assert(
        fc.property(phase, phase, phase, (first, between, last) => {
          const subject = new Subject(capacity);
          for (const key of BELOW) subject.put(key, 31);
          subject.change(first.changes);
          subject.put(OWNER, 3);
          subject.save(first.reopens);
          const below = subject.trie.below(OWNER)!;
          fc.pre(below.size > 1024);
          const before = new Map(subject.model);

          subject.detach();
          subject.compare();
          subject.store.isSecond = true;
          subject.change(between.changes);
          if (between.saves) subject.save(between.reopens);
          subject.compare();

          subject.trie.put(OWNER, Uint8Array.of(5));
          subject.trie.attach(OWNER, below.hash);
          subject.store.isSecond = false;
          for (const hex of subject.model.keys()) {
            if (hex.startsWith(toHex(OWNER)) && hex.length > 4 && hex < "010280") subject.model.delete(hex);
          }
          for (const [hex, value] of before) if (hex > "010200" && hex < "010280") subject.model.set(hex, value);
          subject.model.set(toHex(OWNER), Uint8Array.of(5));
          subject.compare();
          subject.change(last.changes);
          subject.compare();
          subject.save(last.reopens);
          subject.compare();
          const reopened = new Trie(subject.store, subject.trie.hash());
          assert.deepEqual(
            Array.from(reopened.entries(), ({ key }) => toHex(key)),
            [...subject.model.keys()].sort(),
          );
        }),
        { numRuns: runs(300) },
      );
    });
  }

  it("is not visited, and cannot be attached without its nodes", () => {
    const { store, trie } = new Subject(undefined);
    for (const key of [OWNER, ...BELOW, ...BESIDE]) trie.put(key, new Uint8Array(32).fill(1));
    const opened = new Trie(store, trie.saveByPlace(store));
    const { hash } = opened.below(OWNER)!;
    let reads = 0;
    const get: PlaceStore["get"] = (...args) => {
      reads++;
      return store.get(...args);
    };
    const counted = new Trie({ byPlace: true, get }, opened.hash());
    counted.detach(OWNER);
    counted.hash();
    assert(reads < 6, `${reads} reads`);
    counted.put(OWNER, new Uint8Array(32).fill(1));
    assert.throws(
      () => counted.attach(OWNER, new Uint8Array(32)),
      (error) => error instanceof TrieError && error.code === "MISSING_NODE",
    );
    assert.equal(opened.below(BESIDE.at(-1)!), undefined);
    counted.attach(OWNER, hash);
    assert.deepEqual(counted.below(OWNER)!.hash, hash);
  });

  it("does nothing to a key without value", () => {
    const trie = new Trie();
    for (const key of BELOW) trie.put(key, Uint8Array.of(1));
    const root = trie.hash();
    trie.detach(OWNER);
    assert.deepEqual(trie.hash(), root);
    assert.equal(trie.below(OWNER), undefined);
  });
});
