import { NO_KEY } from "../encoding/place.js";
import { TrieError } from "../errors.js";
import type { NodeReader } from "../interface.js";
import { LOADED_NODES } from "../measurements.js";
import { Node, type NodeLoader } from "./node.js";
import type { NodeCache } from "./node-cache.js";
import { decodeInto, unpackAll } from "./node-codec.js";
import { hashPacked, isPacked, unpack } from "./packed-subtree.js";

/** Loads nodes and long values from a store. */
export class NodeSource implements NodeLoader {
  constructor(
    readonly reader: NodeReader | undefined,
    readonly cache: NodeCache | undefined,
  ) {}

  /** Loads a node if necessary and marks it as visited for the cache. Throws as {@link load}. */
  visit(node: Node, key: Uint8Array): void {
    this.open(node, key);
    if (!node.loaded) this.load(node);
  }

  /** Visits like {@link visit}, but a packed subtree stays packed. */
  open(node: Node, key: Uint8Array): void {
    if (this.cache !== undefined) node.visited = this.cache.period;
    if (!node.loaded && node.packed === undefined) this.fetch(node, key);
  }

  /**
   * Loads the content of a node known by its hash; `key` begins with the bits above the node. Throws {@link TrieError}
   * `MISSING_NODE` or `MALFORMED_NODE`.
   */
  load(node: Node, key = NO_KEY): void {
    if (node.loaded) return;
    if (node.packed === undefined) this.fetch(node, key);
    if (node.packed !== undefined) unpackAll(node, this);
  }

  /** Reads a node's record; a record of several keys stays packed. */
  private fetch(node: Node, key: Uint8Array): void {
    const hash = node.hash!;
    const { reader } = this;
    const isFound =
      this.take(node, reader?.get(hash, key, node.start), hash) ||
      this.take(node, reader?.elsewhere?.(hash, key, node.start), hash);
    if (!isFound) throw new TrieError({ code: "MISSING_NODE", hash });
    LOADED_NODES.add();
    this.cache?.charge(1);
  }

  /** Gives a node the content of a record. Returns false if there is none, or if it belongs to another node. */
  private take(node: Node, record: Uint8Array | undefined, hash: Uint8Array): boolean {
    if (record === undefined) return false;
    if (isPacked(record)) return this.takePacked(node, record, hash);
    decodeInto(node, record);
    return true;
  }

  private takePacked(node: Node, record: Uint8Array, hash: Uint8Array): boolean {
    const keys = hashPacked(node, record);
    if (!node.isHash(hash)) {
      node.hash = hash;
      node.referenceSize = -1;
      return false;
    }
    node.packed = record;
    if (keys === 1) unpack(node);
    node.valueSaved = true;
    return true;
  }

  /**
   * Returns the node with its content. An unloaded one is read into a copy, so that a walk does not fill the memory.
   * Arguments and errors as for {@link load}.
   */
  read(node: Node, key: Uint8Array): Node {
    if (node.loaded) return node;
    const copy = new Node(node.start, node.start);
    copy.copyHash(node);
    copy.placed = node.placed;
    copy.packed = node.packed;
    copy.loaded = false;
    this.load(copy, key);
    return copy;
  }

  /**
   * Returns the node's value; a long one is loaded and cached. Throws {@link TrieError} `MISSING_VALUE` if the store
   * lacks it.
   */
  value(node: Node): Uint8Array | undefined {
    if (node.value !== undefined || node.valueLength === 0) return node.value;
    const hash = node.valueHash!;
    const value = this.reader?.byPlace === true ? undefined : this.reader?.get(hash, NO_KEY, 0);
    if (value === undefined) throw new TrieError({ code: "MISSING_VALUE", hash });
    node.value = value;
    node.valueLength = value.length;
    return value;
  }

  /** Returns a value like {@link value}, but does not keep a loaded long value with the node. */
  readValue(node: Node): Uint8Array | undefined {
    const kept = node.value;
    const value = this.value(node);
    node.value = kept;
    return value;
  }
}
