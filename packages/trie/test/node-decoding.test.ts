import assert from "node:assert/strict";
import { keccak256, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { fc, runs } from "@cambium/test-utils/properties";
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

  it("throws only typed errors on random bytes", () => {
    const bytes = fc.tuple(
      fc.constantFrom(0x40, 0x48, 0x4c, 0x50, 0x5f, 0x60, 0x70, 0x7f, 2),
      fc.uint8Array({ maxLength: 120 }),
    );
    fc.assert(
      fc.property(bytes, ([flags, rest]) => {
        const message = Uint8Array.of(flags, ...rest);
        if (decodes(message)) assertSameAgain(message);
        decodes(rest);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it("round-trips 100 000 mutated messages or throws typed errors", () => {
    let seed = 1;
    const random = (bound: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % bound;
    };
    let accepted = 0;
    for (let i = 0; i < 100_000; i++) {
      let message = valid[random(valid.length)]!.slice();
      for (let n = random(3); n >= 0; n--) message[random(message.length)] = random(256);
      if (random(4) === 0) message = message.slice(0, random(message.length + 1));
      if (random(8) === 0) message = Uint8Array.of(...message, random(256));
      if (!decodes(message)) continue;
      accepted++;
      if (i % 8 === 0) assertSameAgain(message);
    }
    assert.ok(accepted > 1000);
  });
});
