import { TrieError } from "./errors.js";
import type { NodeReader } from "./interface.js";
import type { Node, NodeLoader } from "./node.js";
import type { NodeCache } from "./node-cache.js";
import { decodeInto } from "./node-codec.js";

/** Loads nodes and long values from a store. */
export class NodeSource implements NodeLoader {
  constructor(
    readonly reader: NodeReader | undefined,
    readonly cache: NodeCache | undefined,
  ) {}

  /** Loads a node if necessary and marks it as visited for the cache. Throws as {@link load}. */
  visit(node: Node): void {
    if (this.cache !== undefined) node.visited = this.cache.period;
    if (!node.loaded) this.load(node);
  }

  /** Loads the content of a node known by its hash. Throws {@link TrieError} `MISSING_NODE` or `MALFORMED_NODE`. */
  load(node: Node): void {
    if (node.loaded) return;
    const hash = node.hash!;
    const message = this.reader?.get(hash);
    if (message === undefined) throw new TrieError({ code: "MISSING_NODE", hash });
    decodeInto(node, message);
    this.cache?.charge(1);
  }

  /**
   * The node's value; a long one is loaded and cached. Throws {@link TrieError} `MISSING_VALUE` if the store lacks it.
   */
  value(node: Node): Uint8Array | undefined {
    if (node.value !== undefined || node.valueLength === 0) return node.value;
    const hash = node.valueHash!;
    const value = this.reader?.get(hash);
    if (value === undefined) throw new TrieError({ code: "MISSING_VALUE", hash });
    node.value = value;
    node.valueLength = value.length;
    return value;
  }
}
