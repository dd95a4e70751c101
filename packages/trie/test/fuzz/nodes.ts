import assert from "node:assert/strict";
import { fromHex, keccak256 } from "@cambium/primitives";
import { assertSameBytes, decoding, errorsWithCode, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { decodeChunk, encodeChunk } from "../../src/chunks/state-chunk.js";
import { Trie, TrieError, verifyStateChunk } from "../../src/index.js";
import { decodeNode } from "../../src/nodes/node-codec.js";

const CHUNK = { from: 100, size: 700 };

/** A trie with nodes of every shape. */
function saved(): { store: MemoryStore; root: Uint8Array } {
  const trie = new Trie();
  for (let i = 0; i < 60; i++) {
    const key = keccak256(Uint8Array.of(i)).slice(0, 1 + (i % 32));
    trie.put(key, new Uint8Array(1 + ((i * 7) % 60)).fill(i));
  }
  trie.put(new Uint8Array(60), new Uint8Array(70_000));
  const store = new MemoryStore();
  return { store, root: trie.save(store) };
}

const { store, root } = saved();

/** Returns messages of distinct sizes, one of each. */
function messages(): Uint8Array[] {
  const bySize = new Map([...store.entries.values()].map((bytes) => [bytes.length, bytes]));
  return [...bySize.values()].filter(({ length }) => length < 200);
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  node: decoding({
    seeds: messages,
    decode: (input) => decodeNode(input),
    refusals: [errorsWithCode(TrieError, "MALFORMED_NODE")],
    check(_, input) {
      // The old format is never written.
      if (input[0] === 2) return;
      const alone = new MemoryStore();
      alone.put(keccak256(input), input);
      assertSameBytes(new Trie(alone, keccak256(input)).rootMessage()!, input);
    },
  }),
  chunk: decoding({
    seeds: () => [new Trie(store, root).stateChunk(CHUNK.from, CHUNK.size)!.encoded],
    decode: decodeChunk,
    refusals: [TrieError],
    check: (content, input) => assertSameBytes(encodeChunk(content), input),
  }),
  /** Serves a chunk at any offset (8 bytes) with any size (4 bytes); its receiver must be able to verify it. */
  "served-chunk": {
    seeds: () => [fromHex("000000000000006400000200"), fromHex("00000000000000000000c800"), new Uint8Array(12)],
    maxLength: 12,
    run(input) {
      const bytes = Buffer.alloc(12);
      bytes.set(input.subarray(0, 12));
      const from = Number(bytes.readBigUInt64BE() & BigInt(Number.MAX_SAFE_INTEGER));
      const chunk = new Trie(store, root).stateChunk(from, bytes.readUInt32BE(8));
      assert.equal(chunk === undefined, from >= new Trie(store, root).stateSize());
      if (chunk !== undefined) verifyStateChunk(chunk, root);
    },
  },
  /** A chunk that verifies must be the right one. */
  "chunk-proof": decoding({
    seeds: () => [new Trie(store, root).stateChunk(CHUNK.from, CHUNK.size)!.encoded],
    decode: (encoded) =>
      verifyStateChunk({ ...new Trie(store, root).stateChunk(CHUNK.from, CHUNK.size)!, encoded }, root),
    refusals: [TrieError],
    check: ({ save }) =>
      save({
        node: (message, hash) => assert.deepEqual(store.get(hash), message),
        value: (value, _, hash) => hash && assert.deepEqual(store.get(hash), value),
      }),
  }),
};
