import { EMPTY_BYTES, keccak256 } from "@cambium/primitives";
import { copyBits, setBit } from "../encoding/bits.js";
import { HashWords } from "../encoding/hash-words.js";
import { LONG_VALUE } from "../encoding/message-format.js";

/**
 * A node of the binary trie. Nodes shared between tries are immutable. A trie changes in place only nodes that it
 * created since it was last copied or saved (`owner`). `loaded` is false while only the hash is known; the first visit
 * then loads the content from the store. The hash is that of the node's message.
 */
export class Node extends HashWords {
  /** The path is positions [start, end) of `bytes`, whose first byte is the byte at position 8 * `base`. */
  bytes: Uint8Array = EMPTY_BYTES;
  base = 0;
  start: number;
  end: number;
  /** First position from which `bytes` matches the key; at most `start`. */
  from = 0;

  /** Value; undefined if there is none, or if a long value is not loaded yet. */
  value: Uint8Array | undefined = undefined;
  /** Length of the value; 0 without a value; -1 for a long value of unknown length (old format, not loaded). */
  valueLength = 0;
  /** Hash of a long value, once computed. */
  valueHash: Uint8Array | undefined = undefined;

  left: Node | undefined = undefined;
  right: Node | undefined = undefined;

  /** `childrenSize` of the node's message, or -1 while unknown. */
  childrenSize = -1;
  /** This node's contribution to its parent's childrenSize, or -1 while unknown. */
  referenceSize = -1;

  /**
   * Record of the keys and values of the node and below it (`packed-subtree.ts`), while they are kept in this form: the
   * node is then not loaded. There are at least two keys.
   */
  packed: Uint8Array | undefined = undefined;

  loaded = true;
  saved = false;
  valueSaved = false;
  /** Whether a store under places has a node at this node's place: this node or an earlier one. */
  placed = false;
  owner = 0;
  /** Period of the {@link NodeCache} in which the node was last visited or saved. */
  visited = 0;

  constructor(start: number, end: number) {
    super();
    this.start = start;
    this.end = end;
  }

  get isLeaf(): boolean {
    return this.left === undefined && this.right === undefined;
  }

  get hasLongValue(): boolean {
    return this.valueLength > LONG_VALUE || this.valueLength < 0;
  }

  /**
   * Returns a copy that `owner` may change. It drops data that depends on the node's content, and keeps known data of
   * its children.
   */
  copyFor(owner: number): Node {
    const copy = new Node(this.start, this.end);
    copy.bytes = this.bytes;
    copy.base = this.base;
    copy.from = this.from;
    copy.value = this.value;
    copy.valueLength = this.valueLength;
    copy.valueHash = this.valueHash;
    copy.left = this.left;
    copy.right = this.right;
    copy.childrenSize = this.childrenSize;
    copy.packed = this.packed;
    copy.loaded = this.loaded;
    copy.valueSaved = this.valueSaved;
    copy.placed = this.placed;
    copy.owner = owner;
    return copy;
  }

  /** Drops data that depends on the node's content. */
  forgetMessage(): void {
    this.hash = undefined;
    this.referenceSize = -1;
    this.saved = false;
  }

  /** Replaces the node's path, its value and everything below it by a record, from which they can be read again. */
  pack(record: Uint8Array): void {
    this.packed = record;
    this.loaded = false;
    this.bytes = EMPTY_BYTES;
    this.end = this.start;
    this.value = undefined;
    this.valueLength = 0;
    this.valueHash = undefined;
    this.left = undefined;
    this.right = undefined;
    this.childrenSize = -1;
  }

  setValue(value: Uint8Array | undefined): void {
    this.value = value;
    this.valueLength = value === undefined ? 0 : value.length;
    this.valueHash = undefined;
    this.valueSaved = false;
    this.forgetMessage();
  }

  setChild(bit: 0 | 1, child: Node | undefined): void {
    this.rememberSizes();
    this.childrenSize = -1;
    if (bit === 0) this.left = child;
    else this.right = child;
    this.forgetMessage();
  }

  /**
   * Derives the other child's size from the sum before a child is replaced, so that it need not be loaded to encode
   * this node.
   */
  private rememberSizes(): void {
    if (this.childrenSize < 0) return;
    deriveSize(this.right, this.left, this.childrenSize);
    deriveSize(this.left, this.right, this.childrenSize);
  }

  /** Returns the first position in [start, end) at which the key differs or ends; `end` if the whole path matches. */
  matchPath(key: Uint8Array, keyBits: number): number {
    const limit = Math.min(keyBits, this.end);
    const { start, bytes, base } = this;
    if (start >= limit) return limit;
    const last = (limit - 1) >> 3;
    let i = start >> 3;
    let difference = (key[i]! ^ bytes[i - base]!) & (0xff >> (start & 7));
    while (difference === 0 && i < last) {
      i++;
      difference = key[i]! ^ bytes[i - base]!;
    }
    if (difference === 0) return limit;
    const position = i * 8 + Math.clz32(difference) - 24;
    return Math.min(position, limit);
  }
}

/** Loads missing parts of a node from a store. */
export interface NodeLoader {
  load(node: Node): void;
  value(node: Node): Uint8Array | undefined;
}

function deriveSize(unknown: Node | undefined, other: Node | undefined, sum: number): void {
  if (unknown === undefined || unknown.referenceSize >= 0) return;
  if (other === undefined) unknown.referenceSize = sum;
  else if (other.referenceSize >= 0) unknown.referenceSize = sum - other.referenceSize;
}

/** Returns a node whose path starts at `start`, with only its hash, if known. */
export function unloadedNode(hash: Uint8Array | undefined, start: number): Node {
  const node = new Node(start, start);
  node.hash = hash;
  node.loaded = false;
  node.saved = true;
  node.placed = true;
  return node;
}

/** Returns a leaf for the rest of `key`, from `start` on. */
export function leafNode(key: Uint8Array, start: number, value: Uint8Array, owner: number): Node {
  const node = new Node(start, key.length * 8);
  const base = start >> 3;
  // The key is copied because the whole one may exceed what the engine keeps on its heap, and may share memory.
  node.bytes = base === 0 ? key : key.slice(base);
  node.base = base;
  node.from = start;
  node.value = value;
  node.valueLength = value.length;
  node.childrenSize = 0;
  node.owner = owner;
  return node;
}

/** Hash of a node's long value. */
export function hashValue(node: Node): Uint8Array {
  if (node.valueHash === undefined) node.valueHash = keccak256(node.value!);
  return node.valueHash;
}

/** Gives `child` a separate path array, which also contains the parent's path and the bit between them. */
export function extendPath(child: Node, parent: Node, bit: 0 | 1): void {
  const base = parent.start >> 3;
  const bytes = new Uint8Array(((child.end + 7) >> 3) - base);
  copyBits(parent.bytes, parent.base, bytes, base, parent.start, parent.end);
  setBit(bytes, base, parent.end, bit);
  copyBits(child.bytes, child.base, bytes, base, child.start, child.end);
  child.bytes = bytes;
  child.base = base;
  child.from = parent.start;
}
