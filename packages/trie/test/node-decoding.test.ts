import assert from "node:assert/strict";
import { keccak256, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { Trie, TrieError } from "../src/index.js";
import { decodeNodeMessage } from "./node-view.js";

/** Messages of a trie with nodes of every shape. */
function messages(): Uint8Array[] {
  const trie = new Trie();
  for (let i = 0; i < 300; i++) {
    const key = keccak256(Uint8Array.of(i)).slice(0, 1 + (i % 32));
    trie.put(key, new Uint8Array(1 + ((i * 7) % 60)).fill(i));
  }
  trie.put(new Uint8Array(60), new Uint8Array(70_000));
  const store = new MemoryStore();
  trie.save(store);
  return [...store.entries.values()].filter((bytes) => bytes.length < 200);
}

/** Whether the bytes decode; rethrows errors other than {@link TrieError}. */
function decodes(bytes: Uint8Array): boolean {
  try {
    decodeNodeMessage(bytes);
    return true;
  } catch (error) {
    if (!(error instanceof TrieError) || error.code !== "MALFORMED_NODE") throw error;
    return false;
  }
}

/** Checks that a trie over one message encodes back to it, unless that needs other nodes. */
function assertSameAgain(bytes: Uint8Array): void {
  if (bytes[0] === 2) return;
  const store = new MemoryStore();
  store.put(keccak256(bytes), bytes);
  assert.equal(toHex(new Trie(store, keccak256(bytes)).rootMessage()!), toHex(bytes));
}

describe("node decoding", () => {
  const valid = messages();

  it("round-trips stored messages", () => {
    assert.ok(valid.length > 200);
    for (const message of valid) {
      if (keccak256(message).length === 32 && decodes(message)) assertSameAgain(message);
    }
  });
});
