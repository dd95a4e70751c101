// Long because all changes of nodes are private methods of one class, which V8 calls the fastest.
import { EMPTY_TRIE_ROOT, equalBytes, keccak256 } from "@cambium/primitives";
import { STATE_CHUNK_BYTES, type StateChunk } from "./chunks/state-chunk.js";
import { readStateChunk } from "./chunks/state-chunk-server.js";
import { bitAt } from "./encoding/bits.js";
import { isLeftBelow, keyBeyond, NO_KEY, placeAt, ROOT_PLACE } from "./encoding/place.js";
import { TrieError } from "./errors.js";
import type { NodeReader, NodeSink, PlaceSink } from "./interface.js";
import { SAVED_NODES, TRIE_READS } from "./measurements.js";
import { extendPath, hashValue, leafNode, Node, unloadedNode } from "./nodes/node.js";
import type { NodeCache } from "./nodes/node-cache.js";
import { encodeNode, hashNode, isEmbedded, splitPacked } from "./nodes/node-codec.js";
import { NodeSource } from "./nodes/node-source.js";
import { encodeOldNode, oldHash } from "./nodes/old-format.js";
import { putPacked, removePacked } from "./nodes/packed-subtree.js";
import { PlaceSaver } from "./place-saver.js";
import { type TrieEntry, walkEntries, walkSubtree } from "./trie-entries.js";

/** Maximum value length (`spec/01 §4.1`). */
const VALUE_LIMIT = 0xffffff;

/**
 * Extent of a removal: the key only, all keys that begin with it, or all of them without a visit to those on the left.
 */
type Removed = "key" | "all" | "detached";

let lastOwner = 0;

/** Places at which the store has nodes, while the trie has had none since. Tries share the end of their lists. */
interface VacatedPlaces {
  readonly place: Uint8Array;
  readonly before: VacatedPlaces | undefined;
}

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
  #vacated: VacatedPlaces | undefined;
  /** Number of nodes created since the last call of {@link retain} or {@link save}. */
  #created = 0;

  /** Opens the trie with a root hash; by default the empty trie. */
  constructor(reader?: NodeReader, root: Uint8Array = EMPTY_TRIE_ROOT, cache?: NodeCache) {
    this.#source = new NodeSource(reader, cache);
    if (equalBytes(root, EMPTY_TRIE_ROOT)) return;
    this.#root = cache?.root(root);
    if (this.#root !== undefined) return;
    this.#root = unloadedNode(root, 0);
    cache?.remember(this.#root);
  }

  /**
   * Returns another handle on the same content; changes to either are invisible to the other. Nodes are then loaded
   * from `reader`.
   */
  copy(reader = this.#source.reader): Trie {
    const copy = new Trie(reader, EMPTY_TRIE_ROOT, this.#source.cache);
    copy.#root = this.#root;
    copy.#vacated = this.#vacated;
    this.#owner = ++lastOwner;
    return copy;
  }

  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    TRIE_READS.add();
    const node = this.#find(key);
    return node === undefined ? undefined : this.#source.value(node);
  }

  has(key: Uint8Array): boolean {
    return this.valueLength(key) !== 0;
  }

  /** Returns the length of a value without loading it, 0 if there is none. */
  valueLength(key: Uint8Array): number {
    const node = this.#find(key);
    if (node === undefined) return 0;
    if (node.valueLength < 0) this.#source.value(node);
    return node.valueLength;
  }

  /** Returns the Keccak-256 of a value, without loading a long one; undefined if there is none. */
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
    this.#root = this.#root === undefined ? this.#leaf(key, 0, value) : this.#put(this.#root, key, value);
  }

  delete(key: Uint8Array): void {
    this.#changed = false;
    if (this.#root !== undefined) this.#root = this.#remove(this.#root, key, "key");
  }

  /** Removes a key and all longer keys that begin with it; does nothing unless the key itself has a value. */
  deleteRecursive(key: Uint8Array): void {
    this.#changed = false;
    if (this.#root !== undefined) this.#root = this.#remove(this.#root, key, "all");
  }

  /**
   * Removes keys like {@link deleteRecursive}, but does not visit the keys that continue `key` with a zero bit. Their
   * nodes stay in a store under places, from which {@link attach} can take them again. They must be stored, and larger
   * than a packed subtree.
   */
  detach(key: Uint8Array): void {
    this.#changed = false;
    if (this.#root !== undefined) this.#root = this.#remove(this.#root, key, "detached");
    this.#forgetVacated(key);
  }

  /**
   * Attaches the stored subtree with a hash, as {@link below} returns it, for the keys that continue `key` with a zero
   * bit; `key` has a value.
   */
  attach(key: Uint8Array, hash: Uint8Array): void {
    this.#root = this.#attach(this.#root!, key, hash);
    this.#forgetVacated(key);
  }

  /**
   * Returns hash and size in bytes of the subtree of all keys that continue `key` with a zero bit; undefined if there
   * is none, or `key` has no value.
   */
  below(key: Uint8Array): { hash: Uint8Array; size: number } | undefined {
    const node = this.#find(key);
    if (node?.left === undefined || node.valueLength === 0) return undefined;
    this.#source.open(node.left, keyBeyond(key, node.end, 0));
    hashNode(node.left, this.#source);
    return { hash: node.left.hash!, size: node.left.referenceSize };
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
    SAVED_NODES.add(saved);
    this.#created = 0;
    this.#source.cache?.saved(this.#root, saved);
    return root;
  }

  /**
   * Saves like {@link save}, for a store under places that holds the state of the last call on this trie or one that it
   * was copied from. Passes the records of new nodes, or of small subtrees that contain some, and the places whose
   * nodes are gone. Long values are not passed. Keys have at most 128 bytes.
   */
  saveByPlace(sink: PlaceSink): Uint8Array {
    const root = this.hash();
    this.#owner = ++lastOwner;
    for (let item = this.#vacated; item !== undefined; item = item.before) sink.put(item.place, undefined);
    this.#vacated = undefined;
    const saver = new PlaceSaver(sink, this.#source);
    if (this.#root === undefined) sink.put(ROOT_PLACE, undefined);
    else {
      saver.save(this.#root, true);
      this.#source.cache?.saved(this.#root, this.#created);
      this.#created = 0;
    }
    return root;
  }

  /**
   * Keeps the nodes of this trie, the newest one, in the cache, and drops old ones if it is full. Computes the root.
   */
  retain(): void {
    if (this.#root === undefined || this.#source.cache === undefined) return;
    this.hash();
    this.#source.cache.grown(this.#root, this.#created);
    this.#created = 0;
  }

  /**
   * Returns the messages of the nodes on the path to `key`, including embedded ones, deepest first. Null if the path
   * does not end at a node; that node need not have a value (`spec/01 §4.1`).
   */
  proof(key: Uint8Array): Uint8Array[] | null {
    const path: Node[] = [];
    if (this.#find(key, path) === undefined) return null;
    return path.reverse().map((node) => encodeNode(node, this.#source));
  }

  /**
   * Returns the messages of the nodes on the path to `key`, including embedded ones, root first: down to the key's
   * node, or to the mismatch that proves its absence. Also returns whether the key has a long value, which is not part
   * of its node.
   */
  pathTo(key: Uint8Array): { messages: Uint8Array[]; isLongValue: boolean } {
    const path: Node[] = [];
    const node = this.#find(key, path);
    return {
      messages: path.map((visited) => encodeNode(visited, this.#source)),
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
   * Yields keys and values in key order; a key precedes those it is a prefix of. Loaded nodes are not kept. `prefix`
   * limits the walk to keys that begin with it; `maxKeyBytes` skips longer keys without visiting them. Long values that
   * are not loaded are read with `longValue`, by default from the store.
   */
  entries(
    prefix?: Uint8Array,
    maxKeyBytes?: number,
    longValue?: (key: Uint8Array) => Uint8Array | undefined,
  ): Iterable<TrieEntry> {
    return walkEntries(this.#root, this.#source, { prefix, maxKeyBytes, longValue });
  }

  /** Returns the size of the state in bytes, counted as in `spec/07 §B.9`. */
  stateSize(): number {
    this.hash();
    return this.#root === undefined ? 0 : this.#source.read(this.#root, NO_KEY).referenceSize;
  }

  /**
   * Returns the chunk of the state that starts at an offset, undefined if the state ends before it. The sizes in nodes
   * locate it, so the cost is the nodes of the chunk and two reads per level. Loaded nodes are not kept. `longValue` as
   * in {@link entries}.
   */
  stateChunk(
    from: number,
    size = STATE_CHUNK_BYTES,
    longValue?: (key: Uint8Array) => Uint8Array | undefined,
  ): StateChunk | undefined {
    this.hash();
    return readStateChunk({ root: this.#root, nodes: this.#source, longValue }, from, size);
  }

  #find(key: Uint8Array, path?: Node[]): Node | undefined {
    const keyBits = key.length * 8;
    let node = this.#root;
    while (node !== undefined) {
      this.#source.visit(node, key);
      path?.push(node);
      const { end } = node;
      if (end > keyBits || node.matchPath(key, keyBits) < end) return undefined;
      if (end === keyBits) return node;
      node = bitAt(key, end) === 0 ? node.left : node.right;
    }
    return undefined;
  }

  #put(node: Node, key: Uint8Array, value: Uint8Array): Node {
    this.#source.open(node, key);
    if (node.packed !== undefined) {
      const record = putPacked(node, key, value);
      if (record !== undefined) return this.#replacePacked(node, record);
      splitPacked(node, this.#source);
    }
    const keyBits = key.length * 8;
    const match = node.matchPath(key, keyBits);
    if (match < node.end) return this.#split(node, match, key, value);
    if (match === keyBits) return this.#replaceValue(node, value);
    const bit = bitAt(key, match);
    const child = bit === 0 ? node.left : node.right;
    let next: Node;
    if (child === undefined) {
      next = this.#leaf(key, match + 1, value);
      this.#changed = true;
    } else {
      next = this.#put(child, key, value);
      if (!this.#changed) return node;
    }
    const own = this.#own(node);
    own.setChild(bit, next);
    return own;
  }

  #replacePacked(node: Node, record: Uint8Array): Node {
    if (record === node.packed) return node;
    this.#changed = true;
    const own = this.#own(node);
    own.packed = record;
    own.forgetMessage();
    return own;
  }

  #leaf(key: Uint8Array, start: number, value: Uint8Array): Node {
    this.#created++;
    return leafNode(key, start, value, this.#owner);
  }

  #replaceValue(node: Node, value: Uint8Array): Node {
    if (node.valueLength === value.length && hasValue(node, value)) return node;
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
    upper.placed = node.placed;
    this.#created++;
    const bit = bitAt(node.bytes, match - node.base * 8);
    const lower = this.#own(node);
    lower.start = match + 1;
    lower.placed = false;
    lower.forgetMessage();
    upper.setChild(bit, lower);
    if (match === key.length * 8) upper.setValue(value);
    else upper.setChild(bit === 0 ? 1 : 0, this.#leaf(key, match + 1, value));
    return upper;
  }

  #remove(node: Node, key: Uint8Array, removed: Removed): Node | undefined {
    this.#source.open(node, key);
    const record = removed === "key" && node.packed !== undefined ? removePacked(node, key) : undefined;
    if (record !== undefined) return this.#replacePacked(node, record);
    this.#source.visit(node, key);
    const keyBits = key.length * 8;
    if (node.end > keyBits || node.matchPath(key, keyBits) < node.end) return node;
    if (node.end === keyBits) return this.#removeHere(node, key, removed);
    const bit = bitAt(key, node.end);
    const child = bit === 0 ? node.left : node.right;
    if (child === undefined) return node;
    const next = this.#remove(child, key, removed);
    if (!this.#changed) return node;
    const own = this.#own(node);
    own.setChild(bit, next);
    return next === undefined ? this.#collapse(own, key) : own;
  }

  #removeHere(node: Node, key: Uint8Array, removed: Removed): Node | undefined {
    if (node.valueLength === 0) return node;
    this.#changed = true;
    if (removed === "detached") {
      this.#vacate(node, key);
      if (node.right !== undefined) this.#vacateAll(node.right, keyBeyond(key, node.end, 1));
      return undefined;
    }
    if (removed === "all" || node.isLeaf) {
      this.#vacateAll(node, key);
      return undefined;
    }
    const own = this.#own(node);
    own.setValue(undefined);
    return this.#collapse(own, key);
  }

  /** Replaces the left subtree of a key. */
  #attach(node: Node, key: Uint8Array, hash: Uint8Array): Node {
    this.#source.visit(node, key);
    const own = this.#own(node);
    if (node.end < key.length * 8) {
      const bit = bitAt(key, node.end);
      own.setChild(bit, this.#attach((bit === 0 ? node.left : node.right)!, key, hash));
      return own;
    }
    // The size of the former left child, which may be stored elsewhere, is not read: that of the right child must be
    // known.
    if (node.right !== undefined) this.#source.open(node.right, keyBeyond(key, node.end, 1));
    const left = unloadedNode(hash, node.end + 1);
    this.#source.open(left, keyBeyond(key, node.end, 0));
    own.setChild(0, left);
    return own;
  }

  /** Records that a subtree, whose keys begin with `above`, is removed. */
  #vacateAll(top: Node, above: Uint8Array): void {
    if (this.#source.reader?.byPlace !== true) return;
    for (const { node, key } of walkSubtree(this.#source.read(top, above), this.#source, above))
      this.#vacate(node, key);
  }

  /** Forgets vacated places to the left below a key, because another subtree occupies them from now on. */
  #forgetVacated(key: Uint8Array): void {
    let kept: VacatedPlaces | undefined;
    for (let item = this.#vacated; item !== undefined; item = item.before) {
      if (!isLeftBelow(item.place, key)) kept = { place: item.place, before: kept };
    }
    this.#vacated = kept;
  }

  /** Records that a node leaves its place; `key` begins with the bits above it. */
  #vacate(node: Node, key: Uint8Array): void {
    if (!node.placed || this.#source.reader?.byPlace !== true) return;
    this.#vacated = { place: placeAt(key, node.start), before: this.#vacated };
  }

  /** Merges a node without a value with its only child (`spec/01 §4.1`). */
  #collapse(node: Node, key: Uint8Array): Node | undefined {
    if (node.valueLength !== 0) return node;
    const { left, right } = node;
    if (left !== undefined && right !== undefined) return node;
    const child = left ?? right;
    if (child === undefined) return undefined;
    const bit = left === undefined ? 1 : 0;
    const childKey = keyBeyond(key, node.end, bit);
    this.#source.load(child, childKey);
    this.#vacate(child, childKey);
    const merged = this.#own(child);
    if (merged.from > node.start) extendPath(merged, node, bit);
    merged.start = node.start;
    merged.placed = node.placed;
    merged.forgetMessage();
    return merged;
  }

  #own(node: Node): Node {
    if (node.owner === this.#owner) return node;
    this.#created++;
    return node.copyFor(this.#owner);
  }

  #save(node: Node, sink: NodeSink, isRoot: boolean): number {
    if (node.saved) return 0;
    this.#source.load(node);
    let count = 1;
    if (node.left !== undefined) count += this.#save(node.left, sink, false);
    if (node.right !== undefined) count += this.#save(node.right, sink, false);
    this.#pass(node, sink, isRoot);
    node.saved = true;
    node.valueSaved = true;
    if (this.#source.cache !== undefined) node.visited = this.#source.cache.period;
    return count;
  }

  /** Passes an unsaved node and its long value to the sink. */
  #pass(node: Node, sink: NodeSink, isRoot: boolean): void {
    if (node.hasLongValue && !node.valueSaved && node.value !== undefined) sink.put(hashValue(node), node.value);
    if (!isRoot && isEmbedded(node)) return;
    hashNode(node, this.#source);
    sink.put(node.hash!, encodeNode(node, this.#source));
  }
}

/** Whether a node has this value. A long value that is not loaded is compared by its hash. */
function hasValue(node: Node, value: Uint8Array): boolean {
  return node.value === undefined ? equalBytes(hashValue(node), keccak256(value)) : equalBytes(node.value, value);
}
