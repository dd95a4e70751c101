import { EMPTY_TRIE_ROOT, equalBytes } from "@cambium/primitives";
import { bitAt, copyBits, setBit } from "./bits.js";
import { TrieError } from "./errors.js";
import type { NodeReader, NodeSink } from "./interface.js";
import { hashValue, leafNode, Node, unloadedNode } from "./node.js";
import type { NodeCache } from "./node-cache.js";
import { encodeNode, hashNode, isEmbedded } from "./node-codec.js";
import { NodeSource } from "./node-source.js";
import { encodeOldNode, oldHash } from "./old-format.js";
import { type TrieEntry, walkEntries } from "./trie-entries.js";

/** Maximum value length (`spec/01 §4.1`). */
const VALUE_LIMIT = 0xffffff;

let lastOwner = 0;

/**
 * The binary radix trie of `spec/01 §4`: a mutable handle over nodes that are shared with other tries. Nodes are loaded
 * from the reader on their first visit. Keys and values passed to {@link put} are kept and must not be changed
 * afterwards. Every method that visits nodes throws {@link TrieError} `MISSING_NODE`, `MISSING_VALUE` or
 * `MALFORMED_NODE` if the store lacks a node or holds a damaged one.
 */
export class Trie {
  readonly #source: NodeSource;
  #root: Node | undefined;
  /** Nodes with this owner were created by this trie since its last copy or save, and may be changed in place. */
  #owner = ++lastOwner;
  /** Whether the current operation has changed anything. */
  #changed = false;

  /** Opens the trie with a root hash; by default the empty trie. */
  constructor(reader?: NodeReader, root: Uint8Array = EMPTY_TRIE_ROOT, cache?: NodeCache) {
    this.#source = new NodeSource(reader, cache);
    if (equalBytes(root, EMPTY_TRIE_ROOT)) return;
    this.#root = cache?.root(root);
    if (this.#root !== undefined) return;
    this.#root = unloadedNode(root, 0);
    cache?.remember(this.#root);
  }

  /** Another handle on the same content; changes to either are invisible to the other. */
  copy(): Trie {
    const copy = new Trie(this.#source.reader, EMPTY_TRIE_ROOT, this.#source.cache);
    copy.#root = this.#root;
    this.#owner = ++lastOwner;
    return copy;
  }

  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const node = this.#find(key);
    return node === undefined ? undefined : this.#source.value(node);
  }

  has(key: Uint8Array): boolean {
    return this.valueLength(key) !== 0;
  }

  /** Length of a value without loading it, 0 if there is none. */
  valueLength(key: Uint8Array): number {
    const node = this.#find(key);
    if (node === undefined) return 0;
    if (node.valueLength < 0) this.#source.value(node);
    return node.valueLength;
  }

  /** Keccak-256 of a value, without loading a long one; undefined if there is none. */
  valueHash(key: Uint8Array): Uint8Array | undefined {
    const node = this.#find(key);
    return node === undefined || node.valueLength === 0 ? undefined : hashValue(node);
  }

  /** Sets a value; undefined or empty removes it. Throws {@link TrieError} `VALUE_TOO_LONG` if it exceeds the limit. */
  put(key: Uint8Array, value: Uint8Array | undefined): void {
    if (value === undefined || value.length === 0) {
      this.delete(key);
      return;
    }
    if (value.length > VALUE_LIMIT) {
      throw new TrieError({ code: "VALUE_TOO_LONG", length: value.length, limit: VALUE_LIMIT });
    }
    this.#changed = false;
    this.#root = this.#root === undefined ? leafNode(key, 0, value, this.#owner) : this.#put(this.#root, key, value);
  }

  delete(key: Uint8Array): void {
    this.#changed = false;
    if (this.#root !== undefined) this.#root = this.#remove(this.#root, key, false);
  }

  /** Removes a key and all longer keys that begin with it; does nothing unless the key itself has a value. */
  deleteRecursive(key: Uint8Array): void {
    this.#changed = false;
    if (this.#root !== undefined) this.#root = this.#remove(this.#root, key, true);
  }

  /** Root hash in the format of `spec/01 §4.2`. */
  hash(): Uint8Array {
    if (this.#root === undefined) return EMPTY_TRIE_ROOT;
    hashNode(this.#root, this.#source);
    return this.#root.hash!;
  }

  /** Root hash in the format before RSKIP-107 (`spec/01 §4.3`). Visits the whole trie. */
  oldHash(secure: boolean): Uint8Array {
    return this.#root === undefined ? EMPTY_TRIE_ROOT : oldHash(this.#root, this.#source, secure);
  }

  /** Message of the root node, undefined for the empty trie. */
  rootMessage(): Uint8Array | undefined {
    return this.#root === undefined ? undefined : encodeNode(this.#root, this.#source);
  }

  /** Old-format message of the root node, undefined for the empty trie. */
  oldRootMessage(secure: boolean): Uint8Array | undefined {
    return this.#root === undefined ? undefined : encodeOldNode(this.#root, this.#source, secure);
  }

  /** `childrenSize` of the root node. */
  childrenSize(): number {
    if (this.#root === undefined) return 0;
    encodeNode(this.#root, this.#source);
    return this.#root.childrenSize;
  }

  /**
   * Passes every unsaved node and long value to `sink` under its hash; embedded nodes are part of their parents.
   * Returns the root. Nodes are immediately marked as stored, also for other handles that share them: call this only if
   * they will be stored, and always with the same store.
   */
  save(sink: NodeSink): Uint8Array {
    const root = this.hash();
    this.#owner = ++lastOwner;
    if (this.#root === undefined) return root;
    const saved = this.#save(this.#root, sink, true);
    this.#source.cache?.saved(this.#root, saved);
    return root;
  }

  /** Passes to `sink` what {@link save} would, without marking it as stored. */
  collect(sink: NodeSink): void {
    this.hash();
    if (this.#root !== undefined) this.#collect(this.#root, sink, true);
  }

  /**
   * Messages of the nodes on the path to `key`, including embedded ones, deepest first. Null if the path does not end
   * at a node; that node need not have a value (`spec/01 §4.1`).
   */
  proof(key: Uint8Array): Uint8Array[] | null {
    const path: Node[] = [];
    if (this.#find(key, path) === undefined) return null;
    return path.reverse().map((node) => encodeNode(node, this.#source));
  }

  /**
   * Messages of the nodes on the path to `key`, including embedded ones, root first: down to the key's node, or to the
   * mismatch that proves its absence. `value` is undefined if the key has none.
   */
  pathTo(key: Uint8Array): { messages: Uint8Array[]; value: Uint8Array | undefined; isLongValue: boolean } {
    const path: Node[] = [];
    const node = this.#find(key, path);
    return {
      messages: path.map((visited) => encodeNode(visited, this.#source)),
      value: node === undefined ? undefined : this.#source.value(node),
      isLongValue: node?.hasLongValue ?? false,
    };
  }

  /** Hash of the node at `key`, undefined if there is none. */
  nodeHash(key: Uint8Array): Uint8Array | undefined {
    const node = this.#find(key);
    if (node !== undefined) hashNode(node, this.#source);
    return node?.hash;
  }

  /**
   * Keys and values in key order; a key precedes those it is a prefix of. Loaded nodes are not kept. `prefix` limits
   * the walk to keys that begin with it; `maxKeyBytes` skips longer keys without visiting them.
   */
  entries(prefix?: Uint8Array, maxKeyBytes?: number): Iterable<TrieEntry> {
    return walkEntries(this.#root, this.#source, prefix, maxKeyBytes);
  }

  #find(key: Uint8Array, path?: Node[]): Node | undefined {
    const keyBits = key.length * 8;
    let node = this.#root;
    while (node !== undefined) {
      this.#source.visit(node);
      path?.push(node);
      const { end } = node;
      if (end > keyBits || node.matchPath(key, keyBits) < end) return undefined;
      if (end === keyBits) return node;
      node = bitAt(key, end) === 0 ? node.left : node.right;
    }
    return undefined;
  }

  #put(node: Node, key: Uint8Array, value: Uint8Array): Node {
    this.#source.visit(node);
    const keyBits = key.length * 8;
    const match = node.matchPath(key, keyBits);
    if (match < node.end) return this.#split(node, match, key, value);
    if (match === keyBits) return this.#replaceValue(node, value);
    const bit = bitAt(key, match);
    const child = bit === 0 ? node.left : node.right;
    let next: Node;
    if (child === undefined) {
      next = leafNode(key, match + 1, value, this.#owner);
      this.#changed = true;
    } else {
      next = this.#put(child, key, value);
      if (!this.#changed) return node;
    }
    const own = this.#own(node);
    own.setChild(bit, next);
    return own;
  }

  #replaceValue(node: Node, value: Uint8Array): Node {
    if (node.valueLength === value.length && equalBytes(this.#source.value(node)!, value)) return node;
    this.#changed = true;
    const own = this.#own(node);
    own.setValue(value);
    return own;
  }

  /**
   * Splits the path at `match` into an upper node with the old content below it, and adds the new value at or below it.
   */
  #split(node: Node, match: number, key: Uint8Array, value: Uint8Array): Node {
    this.#changed = true;
    const upper = new Node(node.start, match);
    upper.bytes = node.bytes;
    upper.base = node.base;
    upper.from = node.from;
    upper.owner = this.#owner;
    const bit = bitAt(node.bytes, match - node.base * 8);
    const lower = this.#own(node);
    lower.start = match + 1;
    lower.forgetMessage();
    upper.setChild(bit, lower);
    if (match === key.length * 8) upper.setValue(value);
    else upper.setChild(bit === 0 ? 1 : 0, leafNode(key, match + 1, value, this.#owner));
    return upper;
  }

  #remove(node: Node, key: Uint8Array, recursive: boolean): Node | undefined {
    this.#source.visit(node);
    const keyBits = key.length * 8;
    if (node.end > keyBits || node.matchPath(key, keyBits) < node.end) return node;
    if (node.end === keyBits) return this.#removeHere(node, recursive);
    const bit = bitAt(key, node.end);
    const child = bit === 0 ? node.left : node.right;
    if (child === undefined) return node;
    const next = this.#remove(child, key, recursive);
    if (!this.#changed) return node;
    const own = this.#own(node);
    own.setChild(bit, next);
    return next === undefined ? this.#collapse(own) : own;
  }

  #removeHere(node: Node, recursive: boolean): Node | undefined {
    if (node.valueLength === 0) return node;
    this.#changed = true;
    if (recursive || node.isLeaf) return undefined;
    const own = this.#own(node);
    own.setValue(undefined);
    return this.#collapse(own);
  }

  /** Merges a node without a value with its only child (`spec/01 §4.1`). */
  #collapse(node: Node): Node | undefined {
    if (node.valueLength !== 0) return node;
    const { left, right } = node;
    if (left !== undefined && right !== undefined) return node;
    const child = left ?? right;
    if (child === undefined) return undefined;
    this.#source.load(child);
    const merged = this.#own(child);
    if (merged.from > node.start) extendPath(merged, node, left === undefined ? 1 : 0);
    merged.start = node.start;
    merged.forgetMessage();
    return merged;
  }

  #own(node: Node): Node {
    return node.owner === this.#owner ? node : node.copyFor(this.#owner);
  }

  #save(node: Node, sink: NodeSink, isRoot: boolean): number {
    if (node.saved) return 0;
    let count = 1;
    if (node.left !== undefined) count += this.#save(node.left, sink, false);
    if (node.right !== undefined) count += this.#save(node.right, sink, false);
    this.#pass(node, sink, isRoot);
    node.message = undefined;
    node.saved = true;
    node.valueSaved = true;
    if (this.#source.cache !== undefined) node.visited = this.#source.cache.period;
    return count;
  }

  #collect(node: Node, sink: NodeSink, isRoot: boolean): void {
    if (node.saved) return;
    if (node.left !== undefined) this.#collect(node.left, sink, false);
    if (node.right !== undefined) this.#collect(node.right, sink, false);
    this.#pass(node, sink, isRoot);
  }

  /** Passes an unsaved node and its long value to the sink. */
  #pass(node: Node, sink: NodeSink, isRoot: boolean): void {
    if (node.hasLongValue && !node.valueSaved && node.value !== undefined) sink.put(hashValue(node), node.value);
    if (!isRoot && isEmbedded(node)) return;
    hashNode(node, this.#source);
    sink.put(node.hash!, node.message!);
  }
}

/** Gives `child` its own path array, which also contains the parent's path and the bit between them. */
function extendPath(child: Node, parent: Node, bit: 0 | 1): void {
  const base = parent.start >> 3;
  const bytes = new Uint8Array(((child.end + 7) >> 3) - base);
  copyBits(parent.bytes, parent.base, bytes, base, parent.start, parent.end);
  setBit(bytes, base, parent.end, bit);
  copyBits(child.bytes, child.base, bytes, base, child.start, child.end);
  child.bytes = bytes;
  child.base = base;
  child.from = parent.start;
}
