import assert from "node:assert/strict";
import { concatBytes, encodeRlp, fromHex, keccak256, numberToBytes, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { cpuTime } from "@cambium/test-utils/processes/cpu-time";
import { fc, runs } from "@cambium/test-utils/properties";
import { decodeChunk, encodeChunk } from "../src/chunks/state-chunk.js";
import {
  checkTrie,
  HashSet,
  type StateChunk,
  Trie,
  TrieError,
  type VerifiedStateChunk,
  verifyStateChunk,
} from "../src/index.js";
import { PlaceStore } from "./place-store.js";

// The worked example of spec/07 §B.9.
const EXAMPLE_NODES = [
  "4ce008e8a6035bc3a9939bc4c1eb5c0c12a5019a54014081aef246648581ed845d66271f7c7bb0a367287fa296d4cdb6a818f0ce7f200a9c7f6bd023cc1b4f0313fd1001",
  "4d3cb00d19383ceaf65c5450319db7790796a78b35be44af7f295a3dc2db56b9a12a507e420981e080ff9c3717182a95311bf40e87fd008e11712b2c4193de4506620304183477a35a94c9bf5b",
  "507eb987abe96cec02ccb3f61fca578e0f685ca24c9248d6d2c8c8509bcb685dfbe4390b770209d32a595d4a987d41f4b3",
  "5f00800e50ff4dc78fe40ab34f36078730992350ff4df387ee598e51461e51c892471abe05194bb55dcab3910016175aa147e1f3e98e31",
].map(fromHex);
const EXAMPLE_ROOT = fromHex("39d062e2d0a381d2dfd37a133bba14836b604341fac9def4e453a1c50ec6a0c0");
const EXAMPLE_CHUNKS = [
  "f893c0f2b1507eb987abe96cec02ccb3f61fca578e0f685ca24c9248d6d2c8c8509bcb685dfbe4390b770209d32a595d4a987d41f4b380c28080f859f1af4d00002a507e420981e080ff9c3717182a95311bf40e87fd008e11712b2c4193de4506620304183477a35a94c9bf5b80e6844cfd1001a066271f7c7bb0a367287fa296d4cdb6a818f0ce7f200a9c7f6bd023cc1b4f0313",
  "f8dec0f5af4d00002a507e420981e080ff9c3717182a95311bf40e87fd008e11712b2c4193de4506620304183477a35a94c9bf5b844cfd1001a03cb00d19383ceaf65c5450319db7790796a78b35be44af7f295a3dc2db56b9a1f842a0e008e8a6035bc3a9939bc4c1eb5c0c12a5019a54014081aef246648581ed845da066271f7c7bb0a367287fa296d4cdb6a818f0ce7f200a9c7f6bd023cc1b4f0313f840f83eb83b5f008000000e50ff4dc78fe40ab34f360787309900002350ff4df387ee598e51461e51c892471abe05194bb55dcab3910016175aa147e1f3e98e3180",
  "f86ce7e6844cfd1001a0e008e8a6035bc3a9939bc4c1eb5c0c12a5019a54014081aef246648581ed845df83db83b5f008000000e50ff4dc78fe40ab34f360787309900002350ff4df387ee598e51461e51c892471abe05194bb55dcab3910016175aa147e1f3e98e3180c28080c0",
];

function exampleStore(): MemoryStore {
  const store = new MemoryStore();
  for (const node of EXAMPLE_NODES) store.put(keccak256(node), node);
  return store;
}

function stored(entries: readonly (readonly [Uint8Array, Uint8Array])[]): { store: MemoryStore; root: Uint8Array } {
  const store = new MemoryStore();
  const trie = new Trie(store);
  for (const [key, value] of entries) trie.put(key, value);
  return { store, root: trie.save(store) };
}

function allChunks(store: MemoryStore, root: Uint8Array, size: number): StateChunk[] {
  return chunksOf(new Trie(store, root), size);
}

function chunksOf(trie: Trie, size: number, longValue?: (key: Uint8Array) => Uint8Array | undefined): StateChunk[] {
  const chunks: StateChunk[] = [];
  for (let from = 0; ; from += size) {
    const chunk = trie.stateChunk(from, size, longValue);
    assert(chunk !== undefined);
    chunks.push(chunk);
    if (chunk.complete) return chunks;
  }
}

/** Verifies and stores chunks in order; each must start at the end of the previous one. */
function rebuilt(chunks: readonly StateChunk[], root: Uint8Array): MemoryStore {
  const store = new MemoryStore();
  let position = 0;
  for (const chunk of chunks) {
    const verified = verifyStateChunk(chunk, root);
    if (verified.start !== undefined) {
      assert.equal(verified.start, position);
      position = verified.end!;
      assert(verified.nextEnd! >= chunk.to || chunk.complete);
    }
    verified.save({
      node: (message, hash) => store.put(hash, message),
      value: (value, _, hash) => hash && store.put(hash, value),
    });
    if (chunk.complete) assert.equal(position, verified.stateSize);
  }
  return store;
}

function refused(check: () => unknown): void {
  assert.throws(check, (error) => error instanceof TrieError);
}

const key = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.uint8Array({ minLength: 30, maxLength: 34 }));
const value = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 33, maxLength: 600 }) },
);
const content = fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 60 });
const size = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(51_200));

describe("state chunks", () => {
  it("match the worked example", () => {
    const store = exampleStore();
    assert.equal(new Trie(store, EXAMPLE_ROOT).stateSize(), 340);
    const chunks = allChunks(store, EXAMPLE_ROOT, 120);
    assert.deepEqual(
      chunks.map(({ encoded }) => toHex(encoded)),
      EXAMPLE_CHUNKS,
    );
    assert.deepEqual(
      chunks.map((chunk) => verifyStateChunk(chunk, EXAMPLE_ROOT).nodeCount),
      [1, 2, 1],
    );
    const copy = rebuilt(chunks, EXAMPLE_ROOT);
    assert.deepEqual(new Map([...copy.entries].sort()), new Map([...store.entries].sort()));
  });

  it("rebuild any trie from chunks of any size", () => {
    fc.assert(
      fc.property(content, size, (entries, bytes) => {
        const { store, root } = stored(entries);
        const copy = rebuilt(allChunks(store, root, bytes), root);
        const problems: unknown[] = [];
        checkTrie(copy, root, new HashSet(), (fault) => problems.push(fault));
        assert.deepEqual(problems, []);
        assert(copy.entries.size <= store.entries.size);
      }),
      { numRuns: runs(300) },
    );
  });

  it("are the same from a trie in memory, in part or as a whole, and from nodes under places, which they rebuild", () => {
    fc.assert(
      fc.property(content, content, size, (first, second, bytes) => {
        const store = new PlaceStore();
        const values = new Map<string, Uint8Array>();
        const longValue = (key: Uint8Array) => values.get(toHex(key));
        const trie = new Trie(store);
        const put = (entries: typeof first) => {
          for (const [key, value] of entries) {
            values.set(toHex(key), value);
            trie.put(key, value);
          }
        };
        const compare = (expected: readonly StateChunk[]) => {
          assert.deepEqual(chunksOf(trie.copy(), bytes, longValue), expected);
          const root = trie.saveByPlace(store);
          assert.deepEqual(chunksOf(trie, bytes, longValue), expected);
          assert.deepEqual(chunksOf(new Trie(store, root), bytes, longValue), expected);
        };
        for (const entries of [first, second]) {
          put(entries);
          const all = stored([...values].map(([key, value]) => [fromHex(key), value] as const));
          compare(allChunks(all.store, all.root, bytes));
        }
        const nodes = new PlaceStore();
        const found: [string, Uint8Array][] = [];
        for (const chunk of chunksOf(trie, bytes, longValue)) {
          verifyStateChunk(chunk, trie.hash()).save({
            node: (message, _, place) => nodes.put(place, message),
            value: (value, key) => found.push([toHex(key), value]),
          });
        }
        assert.deepEqual(found.sort(), [...values].sort());
        const root = trie.hash();
        assert.deepEqual(chunksOf(new Trie(nodes, root), bytes, longValue), chunksOf(trie, bytes, longValue));
        // Nodes with separate records are packed when a node below them changes.
        const [copy, original] = [new Trie(nodes, root), new Trie(store, root)];
        for (const [hex, value] of values) {
          for (const changed of [copy, original]) changed.put(fromHex(hex), concatBytes(value, Uint8Array.of(1)));
        }
        assert.deepEqual(copy.saveByPlace(nodes), original.saveByPlace(store));
        assert.deepEqual(new Map([...nodes.nodes].sort()), new Map([...store.nodes].sort()));
      }),
      { numRuns: runs(200) },
    );
  });

  it("are rejected if keys do not consist of whole bytes, or are too long", () => {
    // Leaves of three bits and of 4 095 bits.
    for (const [node, reason] of [
      [fromHex("5002a001"), /part of a byte/],
      [concatBytes(fromHex("50fffdff0f"), new Uint8Array(512), fromHex("01")), /too long/],
    ] as const) {
      const empty = new Uint8Array(0);
      const encoded = encodeRlp([[], [node], empty, [empty, empty], []]);
      const chunk = { from: 0, to: 51_200, complete: true, encoded };
      assert.throws(() => verifyStateChunk(chunk, keccak256(node)), reason);
    }
  });

  it("are rejected with typed errors if any byte was changed", () => {
    fc.assert(
      fc.property(
        content,
        size,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (entries, bytes, which, at, by) => {
          const { store, root } = stored(entries);
          const chunks = allChunks(store, root, bytes);
          const chunk = chunks[which % chunks.length]!;
          const encoded = chunk.encoded.slice();
          encoded[at % encoded.length]! ^= by;
          refused(() => verifyStateChunk({ ...chunk, encoded }, root));
          refused(() => verifyStateChunk({ ...chunk, encoded: chunk.encoded.subarray(0, at % encoded.length) }, root));
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it("are rejected in place of another genuine chunk", () => {
    fc.assert(
      fc.property(content, fc.integer({ min: 40, max: 400 }), (entries, bytes) => {
        const { store, root } = stored(entries);
        const chunks = allChunks(store, root, bytes);
        for (const asked of chunks) {
          for (const given of chunks) {
            if (given.encoded === asked.encoded) continue;
            const swapped = { ...given, from: asked.from, to: asked.to };
            const answer = verdict(() => verifyStateChunk(swapped, root));
            // Neighbours can be confused only inside one huge node; then no nodes are kept.
            if (answer !== undefined) assert(answer.nodeCount === 0 || toHex(given.encoded) === toHex(asked.encoded));
          }
          refused(() => verifyStateChunk({ ...asked, complete: !asked.complete }, root));
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it("are rejected if nodes are missing", () => {
    const entries = Array.from({ length: 200 }, (_, i) => [
      keccak256(numberToBytes(i + 1)),
      keccak256(numberToBytes(i)),
    ]);
    const { store, root } = stored(entries as [Uint8Array, Uint8Array][]);
    const chunk = new Trie(store, root).stateChunk(2_000, 2_000)!;
    const parts = decodeChunk(chunk.encoded);
    assert(parts.nodes.length > 3 && parts.preRoots.length > 0 && parts.postRoots.length > 0);
    const variants = [
      { ...parts, nodes: parts.nodes.slice(1) },
      { ...parts, nodes: parts.nodes.slice(0, -1) },
      { ...parts, nodes: [...parts.nodes.slice(0, 1), ...parts.nodes.slice(2)] },
      { ...parts, preRoots: [] },
      { ...parts, postRoots: [] },
      { ...parts, postRoots: parts.postRoots.slice(1) },
      { ...parts, nodes: [...parts.nodes, parts.postRoots[0]!.node], postRoots: parts.postRoots.slice(1) },
      { ...parts, nodes: [], lastNodeHashes: undefined },
      { ...parts, firstNodeLeftHash: new Uint8Array(32) },
      { ...parts, lastNodeHashes: [new Uint8Array(32), new Uint8Array(32)] as const },
    ];
    for (const variant of variants) {
      refused(() => verifyStateChunk({ ...chunk, encoded: encodeChunk(variant) }, root));
    }
  });

  it("verify inside one huge node", () => {
    const left = [fromHex("00"), new Uint8Array(50).fill(1)] as const;
    const huge = [fromHex("40"), new Uint8Array(5_000).fill(2)] as const;
    const below = [fromHex("4011"), new Uint8Array(60).fill(3)] as const;
    const before = [fromHex("4088"), new Uint8Array(60).fill(4)] as const;
    const right = [fromHex("c0"), new Uint8Array(70).fill(5)] as const;
    const { store, root } = stored([left, huge, below, before, right]);
    const chunks = allChunks(store, root, 100);
    assert(chunks.filter((chunk) => decodeChunk(chunk.encoded).nodes.length === 0).length > 40);
    const copy = rebuilt(chunks, root);
    assert.equal(copy.entries.size, store.entries.size);
  });

  it("are located by subtree sizes, at the cost of their nodes and the depth", () => {
    const entries = Array.from({ length: 5_000 }, (_, i) => [
      keccak256(numberToBytes(i + 1)),
      keccak256(numberToBytes(i)),
    ]);
    const { store, root } = stored(entries as [Uint8Array, Uint8Array][]);
    const total = new Trie(store, root).stateSize();
    store.reads = 0;
    const chunk = new Trie(store, root).stateChunk(Math.floor(total * 0.7), 1_000)!;
    assert(decodeChunk(chunk.encoded).nodes.length > 3);
    assert(store.reads < 90, `${store.reads} reads`);
    assert.equal(new Trie(store, root).stateChunk(total + 1), undefined);
  });

  it("have bounded verification costs for hostile bytes", () => {
    const attempt = (encoded: Uint8Array) => {
      const started = cpuTime();
      refused(() => verifyStateChunk({ from: 0, to: 51_200, complete: true, encoded }, EXAMPLE_ROOT));
      assert(cpuTime() - started < 2_000);
    };
    attempt(new Uint8Array(1_000_000));
    attempt(new Uint8Array(200_000).fill(0xc1));
    const empty = new Uint8Array(0);
    const shell = (node: Uint8Array, count: number) =>
      encodeRlp([[], Array.from({ length: count }, () => node), empty, [empty, empty], []]);
    attempt(shell(fromHex("4001"), 60_000));
    attempt(shell(fromHex("50ffffffffffffffffffff01"), 10_000));
    attempt(shell(fromHex("4cff0000000000001f00"), 20_000));
    let nested = fromHex("4001");
    while (nested.length < 60_000)
      nested = concatBytes(
        fromHex("4a"),
        numberToBytes(nested.length + 0x1000000).subarray(1),
        nested,
        fromHex("0501"),
      );
    attempt(shell(nested, 1));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => attempt(bytes)),
      { numRuns: runs(300) },
    );
  });
});

function verdict(check: () => VerifiedStateChunk): VerifiedStateChunk | undefined {
  try {
    return check();
  } catch (error) {
    assert(error instanceof TrieError);
    return undefined;
  }
}
