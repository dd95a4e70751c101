import { equalBytes, toHex } from "@cambium/primitives";
import type { NodeReader, NodeSink } from "./interface.js";

// Layout in 32-bit words: the number of slots, which is a power of two; the slots of an open-addressing hash table; the
// entries. A slot holds the position of an entry in words, 0 if it is empty. An entry is a hash, a length, and bytes.
const WORD = 4;
const HASH_LENGTH = 32;
const HASH_WORDS = HASH_LENGTH / WORD;

/** Trie nodes and long values by their hash in one array, which other threads read without unpacking it. */
export class PackedNodes implements NodeReader {
  private readonly words: Uint32Array;

  /** `bytes` is an array of {@link PackedNodesWriter}, with memory of its own. */
  constructor(private readonly bytes: Uint8Array) {
    this.words = wordsOf(bytes);
  }

  /** A copy of the bytes; undefined if the hash is unknown. */
  get(hash: Uint8Array): Uint8Array | undefined {
    const { words, bytes } = this;
    const position = words[slotOf(words, bytes, hash)]!;
    if (position === 0) return undefined;
    const start = position * WORD + HASH_LENGTH;
    const length = words[position + HASH_WORDS]!;
    return bytes.slice(start + WORD, start + WORD + length);
  }
}

/** Collects nodes for {@link PackedNodes}. */
export class PackedNodesWriter implements NodeSink {
  private readonly entries = new Map<string, { hash: Uint8Array; bytes: Uint8Array }>();
  /** Of all entries, in words. */
  private size = 0;

  put(hash: Uint8Array, bytes: Uint8Array): void {
    const key = toHex(hash);
    // Several nodes may have the same long value.
    if (this.entries.has(key)) return;
    this.entries.set(key, { hash, bytes });
    this.size += HASH_WORDS + 1 + Math.ceil(bytes.length / WORD);
  }

  /** The collected nodes in one array; undefined if they need more than this number of bytes. */
  finish(maxBytes: number): Uint8Array | undefined {
    // At most half of the slots are taken, and one is always empty.
    const slots = 2 ** Math.ceil(Math.log2(2 * this.entries.size + 1));
    const length = (1 + slots + this.size) * WORD;
    if (length > maxBytes) return undefined;
    const bytes = new Uint8Array(length);
    const words = wordsOf(bytes);
    words[0] = slots;
    let position = 1 + slots;
    for (const entry of this.entries.values()) {
      words[slotOf(words, bytes, entry.hash)] = position;
      bytes.set(entry.hash, position * WORD);
      words[position + HASH_WORDS] = entry.bytes.length;
      bytes.set(entry.bytes, (position + HASH_WORDS + 1) * WORD);
      position += HASH_WORDS + 1 + Math.ceil(entry.bytes.length / WORD);
    }
    return bytes;
  }
}

function wordsOf({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length / WORD);
}

/** Index of the slot of this hash, or of the empty one where it belongs. The first bytes of a hash choose its slot. */
function slotOf(words: Uint32Array, bytes: Uint8Array, hash: Uint8Array): number {
  const mask = words[0]! - 1;
  const first = (hash[0]! | (hash[1]! << 8) | (hash[2]! << 16) | (hash[3]! << 24)) >>> 0;
  for (let slot = first & mask; ; slot = (slot + 1) & mask) {
    const position = words[1 + slot]!;
    if (position === 0) return 1 + slot;
    const start = position * WORD;
    if (equalBytes(bytes.subarray(start, start + HASH_LENGTH), hash)) return 1 + slot;
  }
}
