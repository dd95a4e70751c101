import { EMPTY_BYTES } from "@cambium/primitives";
import { copyBits, setBit } from "../encoding/bits.js";
import type { Node } from "../nodes/node.js";
import type { NodeSource } from "../nodes/node-source.js";
import { type BorderNode, encodeChunk, type StateChunk } from "./state-chunk.js";
import { encodeChunkNode, isSeparate, stepOf, type ValueReader } from "./state-chunk-node.js";

/** Source of a chunk. Hashes and sizes of all nodes in memory must be known. */
export interface ChunkSource {
  root: Node | undefined;
  nodes: NodeSource;
  /** Reads long values that are not in memory; by default from the store. */
  longValue: ((key: Uint8Array) => Uint8Array | undefined) | undefined;
}

/** Reads a chunk, see `Trie.stateChunk`. */
export function readStateChunk(
  { root, nodes: source, longValue }: ChunkSource,
  from: number,
  size: number,
): StateChunk | undefined {
  if (root === undefined) return undefined;
  const sequence = new Sequence(root, source, { source, longValue });
  if (!sequence.seek(from)) return undefined;
  const to = from + size;
  const preRoots = sequence.borders("right");
  const firstNodeLeftHash = separateHash(sequence.node.left);
  const nodes: Uint8Array[] = [];
  let last: Node | undefined;
  let more = true;
  while (more && sequence.end < to) {
    last = sequence.node;
    nodes.push(sequence.encode(last));
    more = sequence.advance();
  }
  const lastNodeHashes = last && ([separateHash(last.left), separateHash(last.right)] as const);
  const postRoots = more ? [sequence.border(sequence.node, "left"), ...sequence.borders("left")] : [];
  const encoded = encodeChunk({ preRoots, nodes, firstNodeLeftHash, lastNodeHashes, postRoots });
  return { from, to, complete: !more, encoded };
}

type Side = "left" | "right";

/** Iterates over the separately stored nodes of a trie in order: left subtree, node, right subtree. */
class Sequence {
  node: Node;
  /** Ancestors of the node, root first, and the side on which the path continues. */
  private readonly path: { node: Node; side: Side }[] = [];
  /** Key that begins with the bits above the node, then those of its path. */
  private key = new Uint8Array(64);
  /** Offset at which the node ends. */
  end = 0;

  constructor(
    root: Node,
    private readonly source: NodeSource,
    private readonly values: ValueReader,
  ) {
    this.node = this.load(root);
  }

  /** Moves from the root to the first node that ends at or after an offset; false if there is none. */
  seek(offset: number): boolean {
    for (let base = 0; ; ) {
      const { left, right } = this.node;
      const before = isSeparate(left) ? base + this.sizeBelow("left", left) : base;
      if (isSeparate(left) && before >= offset) {
        this.descend("left", left);
        continue;
      }
      this.end = before + stepOf(this.node);
      if (this.end >= offset) return true;
      if (!isSeparate(right)) return false;
      base = this.end;
      this.descend("right", right);
    }
  }

  /** Moves to the next node; false if this is the last one. */
  advance(): boolean {
    const { right } = this.node;
    if (isSeparate(right)) {
      this.descend("right", right);
      for (let left = this.node.left; isSeparate(left); left = this.node.left) this.descend("left", left);
    } else if (!this.ascend()) return false;
    this.end += stepOf(this.node);
    return true;
  }

  /** Encodes the node or one of its ancestors. */
  encode(node: Node): Uint8Array {
    return encodeChunkNode(node, this.key, this.values);
  }

  /** Returns ancestors from which the path continues on `side`, in trie order, with the hash of their other child. */
  borders(side: Side): BorderNode[] {
    const ancestors = this.path.filter((step) => step.side === side).map(({ node }) => this.border(node, side));
    return side === "right" ? ancestors : ancestors.reverse();
  }

  border(node: Node, side: Side): BorderNode {
    return { node: this.encode(node), hash: separateHash(side === "right" ? node.left : node.right) };
  }

  /** Moves to the nearest ancestor that follows its subtree. */
  private ascend(): boolean {
    for (let above = this.path.pop(); above !== undefined; above = this.path.pop()) {
      this.node = above.node;
      if (above.side === "left") return true;
    }
    return false;
  }

  private descend(side: Side, child: Node): void {
    this.path.push({ node: this.node, side });
    this.enter(side);
    this.node = this.load(child);
  }

  /** Size of a child's subtree, which a parent in memory may not know. */
  private sizeBelow(side: Side, child: Node): number {
    if (child.referenceSize >= 0) return child.referenceSize;
    this.enter(side);
    return this.source.read(child, this.key).referenceSize;
  }

  /** Sets the bit between the node and its child. */
  private enter(side: Side): void {
    this.reserve(this.node.end + 1);
    setBit(this.key, 0, this.node.end, side === "left" ? 0 : 1);
  }

  /** Loads the child whose upper bits are in the key. The parent keeps only its hash. */
  private load(child: Node): Node {
    const node = this.source.read(child, this.key);
    this.reserve(node.end);
    copyBits(node.bytes, node.base, this.key, 0, node.start, node.end);
    return node;
  }

  private reserve(bits: number): void {
    if (bits <= this.key.length * 8) return;
    const larger = new Uint8Array(Math.max(this.key.length * 2, (bits + 7) >> 3));
    larger.set(this.key);
    this.key = larger;
  }
}

function separateHash(child: Node | undefined): Uint8Array {
  return isSeparate(child) ? child.hash! : EMPTY_BYTES;
}
