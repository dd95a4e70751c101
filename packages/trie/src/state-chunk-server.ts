import { EMPTY_BYTES, EMPTY_TRIE_ROOT, equalBytes } from "@cambium/primitives";
import type { NodeReader } from "./interface.js";
import { type Node, unloadedNode } from "./node.js";
import { NodeSource } from "./node-source.js";
import { type BorderNode, encodeChunk, STATE_CHUNK_BYTES, type StateChunk } from "./state-chunk.js";
import { encodeChunkNode, isSeparate, stepOf } from "./state-chunk-node.js";

/** Size of a state in bytes as `spec/07 §B.9` counts them. Throws {@link TrieError} as every trie read does. */
export function stateSize(reader: NodeReader, root: Uint8Array): number {
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return 0;
  return load(unloadedNode(root, 0), new NodeSource(reader, undefined)).referenceSize;
}

/**
 * The chunk of a state that starts at an offset, undefined if the state ends before it. The sizes in nodes locate it,
 * so that it costs the nodes of the chunk and two reads per level. Throws {@link TrieError} as every trie read does.
 */
export function readStateChunk(
  reader: NodeReader,
  root: Uint8Array,
  from: number,
  size = STATE_CHUNK_BYTES,
): StateChunk | undefined {
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return undefined;
  const source = new NodeSource(reader, undefined);
  const sequence = new Sequence(load(unloadedNode(root, 0), source), source);
  if (!sequence.seek(from)) return undefined;
  const to = from + size;
  const preRoots = sequence.borders("right", source);
  const firstNodeLeftHash = separateHash(sequence.node.left);
  const nodes: Uint8Array[] = [];
  let last: Node | undefined;
  let more = true;
  while (more && sequence.end < to) {
    last = sequence.node;
    nodes.push(encodeChunkNode(last, source));
    more = sequence.advance();
  }
  const lastNodeHashes = last && ([separateHash(last.left), separateHash(last.right)] as const);
  const postRoots = more ? [borderOf(sequence.node, "left", source), ...sequence.borders("left", source)] : [];
  const encoded = encodeChunk({ preRoots, nodes, firstNodeLeftHash, lastNodeHashes, postRoots });
  return { from, to, complete: !more, encoded };
}

type Side = "left" | "right";

/** Iterates over the separately stored nodes of a trie in order: left subtree, node, right subtree. */
class Sequence {
  /** Ancestors of the node, root first, and the side on which the path continues. */
  private readonly path: { node: Node; side: Side }[] = [];
  /** Offset at which the node ends. */
  end = 0;

  constructor(
    public node: Node,
    private readonly source: NodeSource,
  ) {}

  /** Moves from the root to the first node that ends at or after an offset; false if there is none. */
  seek(offset: number): boolean {
    for (let base = 0; ; ) {
      const { left, right } = this.node;
      const before = isSeparate(left) ? base + load(left, this.source).referenceSize : base;
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
    this.node = load(child, this.source);
  }

  /** Ancestors from which the path continues on `side`, in trie order, with the hash of their other child. */
  borders(side: Side, source: NodeSource): BorderNode[] {
    const ancestors = this.path.filter((step) => step.side === side).map(({ node }) => borderOf(node, side, source));
    return side === "right" ? ancestors : ancestors.reverse();
  }
}

function borderOf(node: Node, side: Side, source: NodeSource): BorderNode {
  return { node: encodeChunkNode(node, source), hash: separateHash(side === "right" ? node.left : node.right) };
}

function separateHash(child: Node | undefined): Uint8Array {
  return isSeparate(child) ? child.hash! : EMPTY_BYTES;
}

/** Loads the referenced node into a separate object, so that the parent keeps only the hash. */
function load(reference: Node, source: NodeSource): Node {
  const node = unloadedNode(reference.hash!, reference.start);
  source.load(node);
  return node;
}
