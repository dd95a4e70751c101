import assert from "node:assert/strict";
import { concatBytes, keccak256, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { PACKED_LIMIT, placedParts, Trie } from "../src/index.js";
import { PlaceStore } from "./place-store.js";

/** Keys of up to 74 bytes, many of which begin alike. */
const key = fc
  .tuple(fc.array(fc.constantFrom(0x00, 0x01, 0x80, 0xff), { maxLength: 6 }), fc.constantFrom(0, 0, 20, 68))
  .map(([head, zeros]) => Uint8Array.from([...head, ...Array(zeros).fill(7)]));
const entries = fc.array(fc.tuple(key, fc.constantFrom(1, 20, 32, 33, 2_000)), { maxLength: 300, size: "max" });

type Content = readonly (readonly [Uint8Array, number])[];

function trieOf(content: Content): Trie {
  const trie = new Trie();
  for (const [key, length] of content) trie.put(key, new Uint8Array(length).fill(key.length + 1));
  return trie;
}

/** The messages of a trie by their hashes. */
function messagesOf(content: Content): Map<string, Uint8Array> {
  const messages = new Map<string, Uint8Array>();
  trieOf(content).save({ put: (hash, bytes) => messages.set(toHex(hash), bytes) });
  return messages;
}

/** Reads the parts of a trie that consists of these messages; the last one is the root. */
function readAll(messages: readonly Uint8Array[]): void {
  const byHash = new Map(messages.map((message) => [toHex(keccak256(message)), message]));
  for (const _ of placedParts((hash) => byHash.get(toHex(hash))!, keccak256(messages.at(-1)!), PACKED_LIMIT));
}

describe("parts of a trie by place", () => {
  it("are the records that a store under places has, and the values in key order", () => {
    fc.assert(
      fc.property(entries, (content) => {
        const trie = trieOf(content);
        const messages = messagesOf(content);
        const store = new PlaceStore();
        const values: [string, number][] = [];
        for (const part of placedParts((hash) => messages.get(toHex(hash))!, trie.hash(), PACKED_LIMIT)) {
          if (part.kind === "node") store.put(part.place, part.content);
          else values.push([toHex(part.key), part.value?.length ?? part.length]);
        }
        const expected = new PlaceStore();
        trie.saveByPlace(expected);
        assert.deepEqual(new Map([...store.nodes].sort()), new Map([...expected.nodes].sort()));
        const sorted = [...new Map(content.map(([key, length]) => [toHex(key), length]))].sort();
        assert.deepEqual(values, sorted);
      }),
      { numRuns: runs(300) },
    );
  });

  it("are the messages of all nodes if nothing is packed", () => {
    const content = [0, 1, 2, 3].map((first) => [new Uint8Array(30).fill(first), 30] as const);
    const messages = messagesOf(content);
    const parts = placedParts((hash) => messages.get(toHex(hash))!, trieOf(content).hash(), 0);
    const nodes = [...parts].filter((part) => part.kind === "node");
    assert.deepEqual(new Map(nodes.map(({ hash, content }) => [toHex(hash), content])), messages);
  });

  // Messages: flags, length of the path, path, children, size of the children, value.
  const pair = (child: Uint8Array, size: number) =>
    concatBytes(Uint8Array.of(0x4c), keccak256(child), keccak256(child), Uint8Array.of(size));

  it("are refused if sizes do not add up", () => {
    // The path has 167 bits, so that with the bit above it the key is 21 bytes long.
    const long = concatBytes(Uint8Array.of(0x70, 167 - 128), new Uint8Array(21 + 32), Uint8Array.of(0, 0, 40));
    readAll([long, pair(long, 2 * (long.length + 40))]);
    assert.throws(() => readAll([long, pair(long, 2 * long.length)]), /size of its children/);
  });

  it("are refused if a leaf is not embedded that must be", () => {
    const short = concatBytes(Uint8Array.of(0x50, 14, 1, 2), new Uint8Array(20));
    assert.throws(() => readAll([short, pair(short, 48)]), /not embedded in its parent/);
  });

  it("are refused if a key is too long, or ends within a byte", () => {
    const partial = concatBytes(Uint8Array.of(0x50, 14, 1, 2), new Uint8Array(32));
    assert.throws(() => readAll([partial]), /value at a part of a byte/);
    const endless = concatBytes(Uint8Array.of(0x50, 0xff, 0xfd, 0x08, 0x04), new Uint8Array(129), Uint8Array.of(1));
    assert.throws(() => readAll([endless]), /a key is too long/);
  });
});
