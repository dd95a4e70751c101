import { EMPTY_TRIE_ROOT, equalBytes } from "@cambium/primitives";
import { copyBits, setBit } from "./encoding/bits.js";
import { HASH_LENGTH } from "./encoding/message-format.js";
import { placeAt } from "./encoding/place.js";
import { malformedNode } from "./errors.js";
import { type Node, unloadedNode } from "./nodes/node.js";
import { decodeInto, isEmbedded } from "./nodes/node-codec.js";
import { PackedWriter } from "./nodes/packed-writer.js";

/** A part of a trie in the form of a store with nodes under their places. */
export type PlacedPart =
  /** A node's message and its hash; or the record of a packed subtree, and the hash of its highest node. */
  | { kind: "node"; content: Uint8Array; hash: Uint8Array; place: Uint8Array }
  /** A key with its value; or with hash and length of a long value. */
  | { kind: "value"; key: Uint8Array; value: Uint8Array | undefined; hash: Uint8Array | undefined; length: number };

/** Keys of a state have at most 74 bytes (`spec/01 §4.4`). */
const MAX_KEY_BITS = 128 * 8;

/**
 * Visits a whole trie and yields the records that `Trie.saveByPlace` would store, and the values in key order. Subtrees
 * of up to `packedLimit` bytes are packed. `read` returns the message with a hash, which is valid until the next call.
 * The message's hash is not verified here; all else that determines the nodes is. Throws {@link TrieError}
 * `MALFORMED_NODE`, and the errors of `read`.
 */
export function placedParts(
  read: (hash: Uint8Array) => Uint8Array,
  root: Uint8Array,
  packedLimit: number,
): Generator<PlacedPart> {
  return new Walk(read, packedLimit).parts(root);
}

/** A subtree whose highest node was visited, but not all nodes below it. */
interface OpenSubtree {
  start: number;
  /** Number of nodes that wait when it is complete. */
  waiting: number;
  /** Size of all nodes visited by then. */
  size: number;
}

interface PackedSubtree {
  subtree: OpenSubtree;
  hash: Uint8Array;
  place: Uint8Array;
}

class Walk {
  /** The bits above the current node, then those of its path. */
  private readonly key = new Uint8Array((MAX_KEY_BITS >> 3) + 1);
  /** Nodes to visit, with the bit above each. */
  private readonly waiting: { node: Node; bit: 0 | 1 }[] = [];
  private readonly open: OpenSubtree[] = [];
  private packed: PackedSubtree | undefined;
  private readonly writer = new PackedWriter();
  /** Hash of the node that was read last. */
  private readonly hash = new Uint8Array(HASH_LENGTH);
  /** Size of all visited nodes, as their parents count them. */
  private size = 0;

  constructor(
    private readonly read: (hash: Uint8Array) => Uint8Array,
    private readonly packedLimit: number,
  ) {}

  *parts(root: Uint8Array): Generator<PlacedPart> {
    if (equalBytes(root, EMPTY_TRIE_ROOT)) return;
    this.waiting.push({ node: unloadedNode(root, 0), bit: 0 });
    for (let next = this.waiting.pop(); next !== undefined; next = this.waiting.pop()) {
      const { node, bit } = next;
      const { start } = node;
      if (start > 0) setBit(this.key, 0, start - 1, bit);
      const message = node.loaded ? undefined : this.load(node);
      const subtree = this.enter(node);
      if (message !== undefined && this.packed === undefined) {
        const hash = this.hash.slice();
        const place = placeAt(this.key, start);
        if (node.referenceSize <= this.packedLimit) this.packed = { subtree, hash, place };
        else yield { kind: "node", content: message, hash, place };
      }
      if (node.valueLength > 0) yield this.valueOf(node);
      const complete = this.leave();
      if (complete !== undefined) yield complete;
    }
  }

  /** Reads a node that is not embedded in its parent, and returns its message. */
  private load(node: Node): Uint8Array {
    node.writeHash(this.hash, 0);
    const message = this.read(this.hash);
    decodeInto(node, message);
    if (node.start > 0 && isEmbedded(node)) throw malformedNode("not embedded in its parent");
    return message;
  }

  /** Adds the path of a node to the key, and its children to those that wait. */
  private enter(node: Node): OpenSubtree {
    const { left, right, end } = node;
    if (end > MAX_KEY_BITS) throw malformedNode("a key is too long");
    copyBits(node.bytes, node.base, this.key, 0, node.start, end);
    const subtree = { start: node.start, waiting: this.waiting.length, size: this.size + node.referenceSize };
    this.open.push(subtree);
    this.size += node.referenceSize - node.childrenSize;
    if (right !== undefined) this.waiting.push({ node: right, bit: 1 });
    if (left !== undefined) this.waiting.push({ node: left, bit: 0 });
    // A node that waited long is in the engine's old generation, where it would keep all nodes below it alive.
    node.left = undefined;
    node.right = undefined;
    return subtree;
  }

  /** Verifies the sizes of subtrees that are complete now; returns the packed one, if it is among them. */
  private leave(): PlacedPart | undefined {
    const { open, packed, waiting } = this;
    let complete: PlacedPart | undefined;
    for (let top = open.at(-1); top?.waiting === waiting.length; top = open.at(-1)) {
      open.pop();
      if (this.size !== top.size) throw malformedNode("size of its children");
      if (top !== packed?.subtree) continue;
      this.packed = undefined;
      complete = { kind: "node", content: this.writer.takeRecord(), hash: packed.hash, place: packed.place };
    }
    return complete;
  }

  private valueOf({ end, value, valueHash: hash, valueLength: length }: Node): PlacedPart {
    if ((end & 7) !== 0) throw malformedNode("value at a part of a byte");
    const key = this.key.slice(0, end >> 3);
    const { packed } = this;
    if (packed !== undefined) {
      const stored = hash ?? value!;
      const from = packed.subtree.start >> 3;
      this.writer.add({ bytes: key, from, to: key.length }, { bytes: stored, from: 0, to: stored.length }, length);
    }
    return { kind: "value", key, value, hash, length };
  }
}
