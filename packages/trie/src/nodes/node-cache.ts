import { LruCache, toHex } from "@cambium/primitives";
import { type Node, unloadedNode } from "./node.js";
import { isEmbedded } from "./node-codec.js";

/** Number of recent roots whose decoded nodes are kept; successive states share almost all nodes. */
const ROOTS = 16;

/**
 * Decoded nodes shared between tries over one store. Nodes are reached from their root by following references, so
 * finding a visited node does not need its hash. When `capacity` nodes have been loaded or saved, the nodes of the
 * newest saved root that were visited in the current period stay. All others are dropped. A reader behind the cache
 * must therefore serve every node from the moment it was saved.
 */
export class NodeCache {
  private readonly roots = new LruCache<string, Node>(ROOTS);
  private charged = 0;
  /** Counts the eviction periods; a visited node stores the current number. */
  period = 1;

  /** `capacity` is a number of nodes, of about 300 bytes each. */
  constructor(readonly capacity = 1_000_000) {}

  /** Nodes kept at the last eviction plus nodes loaded or saved since. */
  get size(): number {
    return this.charged;
  }

  root(hash: Uint8Array): Node | undefined {
    return this.roots.get(toHex(hash));
  }

  remember(root: Node): void {
    this.roots.set(toHex(root.hash!), root);
  }

  /** Counts loaded nodes. The cache is cleared if none are saved in the meantime, as by a reader of old states. */
  charge(nodes: number): void {
    this.charged += nodes;
    if (this.charged > 2 * this.capacity) this.clear();
  }

  /** Registers a root that has just been saved, with the number of its new nodes, which are no longer changed. */
  saved(root: Node, nodes: number): void {
    if (this.grown(root, nodes)) this.remember(root);
  }

  /**
   * Counts the new nodes of the newest trie, and drops old ones if there are too many. Returns whether few nodes are
   * left.
   */
  grown(root: Node, nodes: number): boolean {
    this.charged += nodes;
    return this.charged <= this.capacity || this.keepVisited(root);
  }

  clear(): void {
    this.roots.clear();
    this.charged = 0;
  }

  private keepVisited(newest: Node): boolean {
    this.clear();
    const kept = dropUnvisited(newest, this.period);
    this.period++;
    if (kept > this.capacity / 2) return false;
    this.charged = kept;
    return true;
  }
}

/** Replaces subtrees that were not visited in a period by their hashes; returns the number of nodes left. */
function dropUnvisited(node: Node, period: number): number {
  let kept = 1;
  if (node.left !== undefined && isInMemory(node.left)) {
    if (isDroppable(node.left, period)) node.left = hashOnly(node.left);
    else kept += dropUnvisited(node.left, period);
  }
  if (node.right !== undefined && isInMemory(node.right)) {
    if (isDroppable(node.right, period)) node.right = hashOnly(node.right);
    else kept += dropUnvisited(node.right, period);
  }
  return kept;
}

function isInMemory({ loaded, packed }: Node): boolean {
  return loaded || packed !== undefined;
}

/** Whether a node can be dropped. An embedded node is not stored separately, so it stays with its parent. */
function isDroppable(node: Node, period: number): boolean {
  return node.visited < period && node.saved && !isEmbedded(node);
}

/** Returns the node as referenced in its parent's message. */
function hashOnly(node: Node): Node {
  const reference = unloadedNode(undefined, node.start);
  reference.copyHash(node);
  reference.referenceSize = node.referenceSize;
  return reference;
}
