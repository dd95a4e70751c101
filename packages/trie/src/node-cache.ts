import { LruCache, toHex } from "@cambium/primitives";
import { type Node, unloadedNode } from "./node.js";
import { isEmbedded } from "./node-codec.js";

/** Recent roots whose decoded nodes are kept; successive states share almost all of them. */
const ROOTS = 16;

/**
 * Decoded nodes shared between tries over one store. Nodes hang on the roots they were reached from, so a visited node is
 * found by following a reference, without its hash. When `capacity` nodes have been loaded or saved, those of the newest
 * saved root that were visited since the last such time stay and all others go; a reader behind the cache must therefore
 * serve every node from the moment it was saved.
 */
export class NodeCache {
  private readonly roots = new LruCache<string, Node>(ROOTS);
  private charged = 0;
  /** Counts how often nodes have been dropped; a node visited in this period has this number. */
  period = 1;

  /** `capacity` in nodes, of about 300 bytes each. */
  constructor(readonly capacity = 1_000_000) {}

  /** Nodes loaded or saved since others were last dropped, and those that then stayed. */
  get size(): number {
    return this.charged;
  }

  root(hash: Uint8Array): Node | undefined {
    return this.roots.get(toHex(hash));
  }

  remember(root: Node): void {
    this.roots.set(toHex(root.hash!), root);
  }

  /** Counts nodes loaded. Without any save in sight, as for a reader of old states, the cache starts over. */
  charge(nodes: number): void {
    this.charged += nodes;
    if (this.charged > 2 * this.capacity) this.clear();
  }

  /** Takes a root that has just been saved, with the number of nodes that were new. */
  saved(root: Node, nodes: number): void {
    this.remember(root);
    this.charged += nodes;
    if (this.charged > this.capacity) this.keepVisited(root);
  }

  clear(): void {
    this.roots.clear();
    this.charged = 0;
  }

  private keepVisited(newest: Node): void {
    this.clear();
    const kept = dropUnvisited(newest, this.period);
    this.period++;
    if (kept > this.capacity / 2) return;
    this.charged = kept;
    this.remember(newest);
  }
}

/** Cuts off subtrees that were not visited in a period, in favour of their hashes; returns the number of nodes left. */
function dropUnvisited(node: Node, period: number): number {
  let kept = 1;
  if (node.left?.loaded) {
    if (isDroppable(node.left, period)) node.left = hashOnly(node.left);
    else kept += dropUnvisited(node.left, period);
  }
  if (node.right?.loaded) {
    if (isDroppable(node.right, period)) node.right = hashOnly(node.right);
    else kept += dropUnvisited(node.right, period);
  }
  return kept;
}

/** An embedded node goes with its parent: it is not stored on its own. */
function isDroppable(node: Node, period: number): boolean {
  return node.visited < period && !isEmbedded(node);
}

/** The same node as its parent's message has it. */
function hashOnly(node: Node): Node {
  const reference = unloadedNode(undefined, node.start);
  reference.copyHash(node);
  reference.referenceSize = node.referenceSize;
  return reference;
}
