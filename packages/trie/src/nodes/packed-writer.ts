import { allocateBytes, EMPTY_BYTES } from "@cambium/primitives";
import { compactSizeLength, writeCompactSize } from "../encoding/compact-size.js";
import { HASH_LENGTH, LONG_VALUE } from "../encoding/message-format.js";

/*
 * Marker of a packed record. A store under places keeps a small subtree as one record under the place of its highest
 * node: its keys and values. Most nodes of a trie are in its lowest levels. They all follow from the values, with a
 * hash each, in less time than reading them takes.
 *
 * Encoding: PACKED, then each key in order: its length, the length of its value (compact sizes), the key and the value.
 * A key begins with the byte that contains the first bit of the highest node's path, since all keys have the bits above
 * in common. A long value is represented by its hash.
 */
export const PACKED = 0xc0;

/** Maximum size of a packed subtree, as its parent's message counts it (`spec/01 §4.2`). */
export const PACKED_LIMIT = 1024;

/** A range of bytes: a view would cost more than copying them. */
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
   * Adds an entry, after those with lower keys. `value` is the hash if the value of this length is long. The key may be
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

  /** Returns a copy of the record, and starts the next one. */
  takeRecord(): Uint8Array {
    const record = allocateBytes(this.length);
    record.set(this.out.subarray(0, this.length));
    this.length = 0;
    return record;
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

/** Returns the number of bytes in a record for a value of this length. */
export function storedLength(length: number): number {
  return length > LONG_VALUE ? HASH_LENGTH : length;
}

export function entryLength(keyLength: number, valueLength: number): number {
  return compactSizeLength(keyLength) + compactSizeLength(valueLength) + keyLength + storedLength(valueLength);
}
