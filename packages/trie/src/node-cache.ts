import { LruCache, toHex } from "@cambium/primitives";
import type { Node } from "./node.js";

/** Recent roots whose decoded nodes are kept; successive states share almost all of them. */
const ROOTS = 128;

/**
 * Decoded nodes shared between tries over one store. Nodes hang on the roots they were reached from, so a visited node is
 * found by following a reference, without its hash. When `capacity` nodes have been loaded or saved the cache starts
 * over; a reader behind it must therefore serve every node from the moment it was saved.
 */
export class NodeCache {
  private readonly roots = new LruCache<string, Node>(ROOTS);
  private charged = 0;

  /** `capacity` in nodes, of about 300 bytes each. */
  constructor(readonly capacity = 1_000_000) {}

  /** Nodes loaded or saved since the cache last started over. */
  get size(): number {
    return this.charged;
  }

  root(hash: Uint8Array): Node | undefined {
    return this.roots.get(toHex(hash));
  }

  remember(root: Node): void {
    this.roots.set(toHex(root.hash!), root);
  }

  charge(nodes: number): void {
    this.charged += nodes;
    if (this.charged <= this.capacity) return;
    this.clear();
  }

  clear(): void {
    this.roots.clear();
    this.charged = 0;
  }
}
