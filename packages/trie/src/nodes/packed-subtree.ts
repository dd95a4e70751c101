// Long because reading, changing and hashing a record share the same buffers, which are reused without allocation.
import { EMPTY_BYTES, joinBytes, KECCAK_INPUT, keccak256OfInput } from "@cambium/primitives";
import { bitAt } from "../encoding/bits.js";
import { compactSizeLength, writeCompactSize } from "../encoding/compact-size.js";
import {
  EMBEDDING_LIMIT,
  HASH_LENGTH,
  LEFT,
  LEFT_EMBEDDED,
  LONG,
  LONG_VALUE,
  leafLength,
  PATH,
  RIGHT,
  RIGHT_EMBEDDED,
  VERSION,
  writePathBits,
  writeValueLength,
} from "../encoding/message-format.js";
import { MessageReader } from "../encoding/message-reader.js";
import { malformedNode, TrieError } from "../errors.js";
import { Node } from "./node.js";
import { entryLength, PACKED, PACKED_LIMIT, PackedWriter, type Range, storedLength } from "./packed-writer.js";

/*
 * Reads the record of a packed subtree (`packed-writer.ts`), changes it, and computes hash and size of its highest node
 * from it.
 */

/** Number of bytes above which a record in memory is not extended. */
const LONGEST_EXTENDED = 4 * PACKED_LIMIT;
/**
 * Maximum length of a stored record: no subtree of the packed size has a longer one, unless its keys have more than 128
 * bytes.
 */
const LONGEST_STORED = 48 * 1024;

/** Whether a record is that of a subtree, and not a node's message. */
export function isPacked(record: Uint8Array): boolean {
  return record[0] === PACKED;
}

/** The keys and values of a record, read into arrays that the next record reuses. */
class Entries {
  count = 0;
  private record = EMPTY_BYTES;
  /** Position of the first byte of each key in a whole key. */
  private base = 0;
  private keyAt = new Int32Array(64);
  private keyLength = new Int32Array(64);
  private valueAt = new Int32Array(64);
  private valueLength = new Int32Array(64);
  /** Size of the last encoded subtree in its parent's message, and whether it is embedded in that message. */
  private size = 0;
  private isEmbedded = false;

  /** Reads the record of a subtree whose highest path starts at `start`. Throws {@link TrieError} `MALFORMED_NODE`. */
  read(record: Uint8Array, start: number): void {
    const reader = new MessageReader(record);
    if (record.length > LONGEST_STORED) throw malformedNode("packed subtree too long");
    if (reader.byte() !== PACKED || reader.left === 0) throw malformedNode("not a packed subtree");
    this.record = record;
    this.base = start >> 3;
    this.count = 0;
    while (reader.left > 0) {
      const i = this.count++;
      if (i === this.keyAt.length) this.grow();
      this.keyLength[i] = reader.compactSize();
      const length = reader.compactSize();
      this.valueLength[i] = length;
      if (length === 0) throw malformedNode("empty value");
      this.keyAt[i] = reader.skip(this.keyLength[i]!);
      this.valueAt[i] = reader.skip(storedLength(length));
      if (!this.isBelow(i, start)) throw malformedNode("key of another subtree");
      if (i > 0 && this.compare(i - 1, i) >= 0) throw malformedNode("order of keys");
    }
  }

  /** Whether a key has the bits before `start` in common with the first key. */
  private isBelow(i: number, start: number): boolean {
    if (this.keyEnd(i) < start) return false;
    const mask = (0xff00 >> (start & 7)) & 0xff;
    return mask === 0 || ((this.record[this.keyAt[i]!]! ^ this.record[this.keyAt[0]!]!) & mask) === 0;
  }

  /** Sets hash and size of the highest node. */
  hashInto(node: Node): void {
    const end = this.write(0, this.count, node.start, 0);
    node.setHashOfInput(end);
    node.referenceSize = this.size;
  }

  /**
   * Gives a node, whose hash and size at most are known, its path, its value and its children: all nodes below it, or
   * only two that stay packed.
   */
  unpackInto(node: Node, whole: boolean): void {
    this.fill(node, 0, this.count, whole);
    node.packed = undefined;
  }

  /**
   * Returns the record with another value of a key, or with a new key; the value must not be long. Returns the same
   * record if it has this value.
   */
  put(key: Uint8Array, value: Uint8Array): Uint8Array {
    const { record, base } = this;
    const i = this.firstFrom(key);
    const isKnown = this.hasKey(i, key);
    if (isKnown && this.hasValue(i, value)) return record;
    const from = i < this.count ? this.entryAt(i) : record.length;
    const to = isKnown ? this.entryEnd(i) : from;
    const writer = new PackedWriter(record.length - (to - from) + entryLength(key.length - base, value.length));
    writer.copy({ bytes: record, from: 0, to: from });
    writer.add({ bytes: key, from: base, to: key.length }, { bytes: value, from: 0, to: value.length }, value.length);
    writer.copy({ bytes: record, from: to, to: record.length });
    return writer.record();
  }

  /**
   * Returns the record without a key. Returns the same record if it lacks the key, undefined if fewer than two keys
   * would be left.
   */
  remove(key: Uint8Array): Uint8Array | undefined {
    const { record } = this;
    const i = this.firstFrom(key);
    const isKnown = this.hasKey(i, key);
    if (this.count < (isKnown ? 3 : 2)) return undefined;
    return isKnown ? joinBytes([record.subarray(0, this.entryAt(i)), record.subarray(this.entryEnd(i))]) : record;
  }

  /** Returns the index of the first key that is not below a whole one. */
  private firstFrom(key: Uint8Array): number {
    let i = 0;
    while (i < this.count && this.compareWith(i, key) < 0) i++;
    return i;
  }

  private hasKey(i: number, key: Uint8Array): boolean {
    return i < this.count && this.compareWith(i, key) === 0;
  }

  /** Writes the message of the highest node of entries [lo, hi) to `KECCAK_INPUT` from `at` on; returns its end. */
  private write(lo: number, hi: number, start: number, at: number): number {
    const out = KECCAK_INPUT;
    const end = this.pathEnd(lo, hi, start);
    const isValue = this.keyEnd(lo) === end;
    const below = isValue ? lo + 1 : lo;
    let flags = VERSION | (end > start ? PATH : 0);
    let next = writePathBits(this.record, this.base - this.keyAt[lo]!, start, end, out, at + 1);
    let childrenSize = 0;
    if (below < hi) {
      const middle = this.firstWithBit(below, hi, end);
      if (below < middle) {
        next = this.writeChild(below, middle, end + 1, next);
        flags |= this.isEmbedded ? LEFT | LEFT_EMBEDDED : LEFT;
        childrenSize += this.size;
      }
      if (middle < hi) {
        next = this.writeChild(middle, hi, end + 1, next);
        flags |= this.isEmbedded ? RIGHT | RIGHT_EMBEDDED : RIGHT;
        childrenSize += this.size;
      }
      next = writeCompactSize(childrenSize, out, next);
    }
    const length = isValue ? this.valueLength[lo]! : 0;
    if (length > 0) next = this.copyValue(lo, out, next);
    if (length > LONG_VALUE) {
      flags |= LONG;
      next = writeValueLength(length, out, next);
    }
    out[at] = flags;
    this.size = childrenSize + next - at + (length > LONG_VALUE ? length : 0);
    return next;
  }

  /**
   * Writes a child in the form of its parent's message. Its own message is written to the same position before its
   * hash.
   */
  private writeChild(lo: number, hi: number, start: number, at: number): number {
    const isEmbedded = hi - lo === 1 && leafLength(this.keyEnd(lo) - start, this.valueLength[lo]!) <= EMBEDDING_LIMIT;
    if (isEmbedded) {
      const end = this.write(lo, hi, start, at + 1);
      KECCAK_INPUT[at] = end - at - 1;
      this.isEmbedded = true;
      return end;
    }
    const end = this.write(lo, hi, start, at);
    copyDigest(keccak256OfInput(end - at, at), at);
    this.isEmbedded = false;
    return at + HASH_LENGTH;
  }

  /** Sets path, value and children of the highest node of entries [lo, hi). */
  private fill(node: Node, lo: number, hi: number, whole: boolean): void {
    const { start } = node;
    const end = this.pathEnd(lo, hi, start);
    const isValue = this.keyEnd(lo) === end;
    const keyAt = this.keyAt[lo]! - this.base;
    node.end = end;
    node.base = start >> 3;
    node.from = start;
    node.bytes = this.record.slice(keyAt + node.base, keyAt + ((end + 7) >> 3));
    node.loaded = true;
    if (isValue) this.fillValue(node, lo);
    const below = isValue ? lo + 1 : lo;
    if (below === hi) {
      node.childrenSize = 0;
      return;
    }
    const middle = this.firstWithBit(below, hi, end);
    if (below < middle) node.left = this.child(below, middle, end + 1, whole);
    if (middle < hi) node.right = this.child(middle, hi, end + 1, whole);
  }

  private fillValue(node: Node, i: number): void {
    const length = this.valueLength[i]!;
    const bytes = this.record.slice(this.valueAt[i]!, this.valueAt[i]! + storedLength(length));
    node.valueLength = length;
    if (length > LONG_VALUE) node.valueHash = bytes;
    else node.value = bytes;
  }

  /** Returns a node without a separate record. */
  private child(lo: number, hi: number, start: number, whole: boolean): Node {
    const node = new Node(start, start);
    if (whole || hi - lo === 1) this.fill(node, lo, hi, whole);
    else {
      node.packed = this.pack(lo, hi, start);
      node.loaded = false;
    }
    return node;
  }

  /** Returns the record of entries [lo, hi), whose keys all have the bits before `start` in common. */
  private pack(lo: number, hi: number, start: number): Uint8Array {
    const writer = new PackedWriter();
    const dropped = (start >> 3) - this.base;
    for (let i = lo; i < hi; i++) writer.add(this.keyOf(i, dropped), this.valueOf(i), this.valueLength[i]!);
    return writer.record();
  }

  /** Adds all entries; `above` is put before each key. */
  addTo(writer: PackedWriter, above: Range): void {
    for (let i = 0; i < this.count; i++) writer.add(this.keyOf(i), this.valueOf(i), this.valueLength[i]!, above);
  }

  private keyOf(i: number, dropped = 0): Range {
    const at = this.keyAt[i]!;
    return { bytes: this.record, from: at + dropped, to: at + this.keyLength[i]! };
  }

  private valueOf(i: number): Range {
    const at = this.valueAt[i]!;
    return { bytes: this.record, from: at, to: at + storedLength(this.valueLength[i]!) };
  }

  /**
   * Returns the end of the path of the highest node of entries [lo, hi): the common bits of the first and the last key
   * are common to all.
   */
  private pathEnd(lo: number, hi: number, start: number): number {
    return hi - lo === 1 ? this.keyEnd(lo) : this.firstDifference(lo, hi - 1, start);
  }

  /** Returns the position of the bit after a key. */
  private keyEnd(i: number): number {
    return (this.base + this.keyLength[i]!) * 8;
  }

  /** Returns the position of the first bit from `start` on in which two keys differ, or at which the first one ends. */
  private firstDifference(i: number, j: number, start: number): number {
    const { record, base } = this;
    const [a, b] = [this.keyAt[i]!, this.keyAt[j]!];
    const length = this.keyLength[i]!;
    let mask = 0xff >> (start & 7);
    for (let at = Math.max((start >> 3) - base, 0); at < length; at++, mask = 0xff) {
      const difference = (record[a + at]! ^ (at < this.keyLength[j]! ? record[b + at]! : 0)) & mask;
      if (difference !== 0) return (base + at) * 8 + Math.clz32(difference) - 24;
    }
    return (base + length) * 8;
  }

  private firstWithBit(lo: number, hi: number, position: number): number {
    let i = lo;
    while (i < hi && bitAt(this.record, position + (this.keyAt[i]! - this.base) * 8) === 0) i++;
    return i;
  }

  private compare(i: number, j: number): number {
    const { record } = this;
    const [a, b] = [this.keyAt[i]!, this.keyAt[j]!];
    const [m, n] = [this.keyLength[i]!, this.keyLength[j]!];
    for (let at = 0; at < m && at < n; at++) {
      const difference = record[a + at]! - record[b + at]!;
      if (difference !== 0) return difference;
    }
    return m - n;
  }

  /** Compares a key with a whole one. */
  private compareWith(i: number, key: Uint8Array): number {
    const { record, base } = this;
    const [a, m, n] = [this.keyAt[i]!, this.keyLength[i]!, key.length - base];
    for (let at = 0; at < m && at < n; at++) {
      const difference = record[a + at]! - key[base + at]!;
      if (difference !== 0) return difference;
    }
    return m - n;
  }

  private hasValue(i: number, value: Uint8Array): boolean {
    if (this.valueLength[i] !== value.length) return false;
    const at = this.valueAt[i]!;
    for (let j = 0; j < value.length; j++) if (this.record[at + j] !== value[j]) return false;
    return true;
  }

  /** Copies a value, or the hash of a long one. */
  private copyValue(i: number, out: Uint8Array, offset: number): number {
    const [at, length] = [this.valueAt[i]!, storedLength(this.valueLength[i]!)];
    for (let j = 0; j < length; j++) out[offset + j] = this.record[at + j]!;
    return offset + length;
  }

  /** Returns the beginning of an entry in the record. */
  private entryAt(i: number): number {
    return this.keyAt[i]! - compactSizeLength(this.keyLength[i]!) - compactSizeLength(this.valueLength[i]!);
  }

  private entryEnd(i: number): number {
    return this.valueAt[i]! + storedLength(this.valueLength[i]!);
  }

  private grow(): void {
    const larger = (array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
      const out = new Int32Array(2 * array.length);
      out.set(array);
      return out;
    };
    this.keyAt = larger(this.keyAt);
    this.keyLength = larger(this.keyLength);
    this.valueAt = larger(this.valueAt);
    this.valueLength = larger(this.valueLength);
  }
}

/** Copies the last computed digest, if `digest` is a view of it, to `KECCAK_INPUT`. */
function copyDigest(digest: DataView, at: number): void {
  for (let i = 0; i < HASH_LENGTH; i++) KECCAK_INPUT[at + i] = digest.getUint8(i);
}

const entries = new Entries();

/** Reads a node's record into {@link entries}. */
function entriesOf({ start, packed }: Node, record = packed!): Entries {
  entries.read(record, start);
  return entries;
}

/**
 * Sets hash and size of a packed node to those of its record, or of another one; returns the number of keys in it.
 * Throws {@link TrieError} `MALFORMED_NODE` without changing anything.
 */
export function hashPacked(node: Node, record?: Uint8Array): number {
  const { count } = entriesOf(node, record);
  entries.hashInto(node);
  return count;
}

/** Replaces a packed node's record by its path, its value and its children. Hashes and sizes below it are unknown. */
export function unpack(node: Node): void {
  entriesOf(node).unpackInto(node, true);
}

/** Replaces the record like {@link unpack}, but subtrees stay packed. */
export function unpackHighest(node: Node): void {
  entriesOf(node).unpackInto(node, false);
}

/**
 * Returns the node's record with another value of a key; undefined if it would be too long, or if the value is long.
 */
export function putPacked(node: Node, key: Uint8Array, value: Uint8Array): Uint8Array | undefined {
  if (value.length > LONG_VALUE || node.packed!.length > LONGEST_EXTENDED) return undefined;
  return entriesOf(node).put(key, value);
}

/** Returns the node's record without a key; undefined if fewer than two keys would be left. */
export function removePacked(node: Node, key: Uint8Array): Uint8Array | undefined {
  return entriesOf(node).remove(key);
}

/**
 * Adds the entries of a packed node to the record of a subtree that contains it; `key` begins with the bits above the
 * node.
 */
export function addPacked(node: Node, writer: PackedWriter, key: Uint8Array, top: number): void {
  entriesOf(node).addTo(writer, { bytes: key, from: top >> 3, to: node.start >> 3 });
}

/** Whether a record belongs to the subtree whose highest node has this hash and a path that starts at `start`. */
export function isPackedSubtree(record: Uint8Array, hash: Uint8Array, start: number): boolean {
  const node = new Node(start, start);
  try {
    hashPacked(node, record);
  } catch (error) {
    if (error instanceof TrieError) return false;
    throw error;
  }
  return node.isHash(hash);
}
