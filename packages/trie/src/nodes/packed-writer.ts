import { EMPTY_BYTES } from "@cambium/primitives";
import { compactSizeLength, writeCompactSize } from "../encoding/compact-size.js";
import { HASH_LENGTH, LONG_VALUE } from "../encoding/message-format.js";

/*
 * A store that keeps nodes under their places has a small subtree as one record under the place of its highest node:
 * its keys and values. Most nodes of a trie are in its lowest levels; all of them follow from the values, with a hash
 * each, in less time than it takes to read them.
 *
 * Encoding: PACKED, then each key in order: its length, the length of its value (compact sizes), the key and the value.
 * A key begins with the byte that contains the first bit of the highest node's path, since all keys have the bits above
 * in common. Of a long value there is only the hash.
 */
export const PACKED = 0xc0;

/** A subtree is packed if its size, as its parent's message counts it (`spec/01 §4.2`), is at most this. */
export const PACKED_LIMIT = 1024;

/** A range of bytes: a view would cost more than to copy them. */
export interface Range {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

const NOTHING: Range = { bytes: EMPTY_BYTES, from: 0, to: 0 };

/** Writes a record. */
export class PackedWriter {
  private out: Uint8Array;
  private length = 0;

  constructor(capacity = PACKED_LIMIT) {
    this.out = new Uint8Array(capacity);
  }

  /**
   * Adds an entry, after those with lower keys; of a long value of this length, `value` is the hash. The key may be
   * given in two parts, of which `above` is the first one.
   */
  add(key: Range, value: Range, length: number, above: Range = NOTHING): void {
    if (this.length === 0) this.byte(PACKED);
    const keyLength = above.to - above.from + key.to - key.from;
    this.reserve(entryLength(keyLength, length));
    this.length = writeCompactSize(keyLength, this.out, this.length);
    this.length = writeCompactSize(length, this.out, this.length);
    this.copy(above);
    this.copy(key);
    this.copy(value);
  }

  copy({ bytes, from, to }: Range): void {
    this.reserve(to - from);
    const { out, length } = this;
    for (let i = from; i < to; i++) out[length + i - from] = bytes[i]!;
    this.length += to - from;
  }

  record(): Uint8Array {
    return this.length === this.out.length ? this.out : this.out.slice(0, this.length);
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.out[this.length++] = byte;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.out.length) return;
    const larger = new Uint8Array(2 * (this.length + bytes));
    larger.set(this.out);
    this.out = larger;
  }
}

/** Bytes that a record has of a value of this length. */
export function storedLength(length: number): number {
  return length > LONG_VALUE ? HASH_LENGTH : length;
}

export function entryLength(keyLength: number, valueLength: number): number {
  return compactSizeLength(keyLength) + compactSizeLength(valueLength) + keyLength + storedLength(valueLength);
}
