import { EMPTY_TRIE_ROOT, equalBytes } from "@cambium/primitives";
import { copyBits, setBit } from "./encoding/bits.js";
import { placeAt } from "./encoding/place.js";
import { TrieError } from "./errors.js";
import type { NodeReader } from "./interface.js";
import { type Node, unloadedNode } from "./nodes/node.js";
import { NodeSource } from "./nodes/node-source.js";

/** An entry of a trie in a store with nodes under their places. */
export type StoredEntry =
  | {
      kind: "value";
      key: Uint8Array;
      length: number;
      /** The value; undefined if it is long. */
      value: Uint8Array | undefined;
      /** Keccak-256 of a long value. */
      hash: Uint8Array | undefined;
    }
  /**
   * The node with this hash is missing or damaged: the keys that begin with the first `bits` bits of `prefix` are
   * unknown.
   */
  | { kind: "gap"; prefix: Uint8Array; bits: number; hash: Uint8Array };

/**
 * Visits a whole trie in key order, without keeping it in memory. A store must return only nodes with the right hash.
 */
export function* storedEntries(reader: NodeReader, root: Uint8Array): Generator<StoredEntry> {
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return;
  const source = new NodeSource(reader, undefined);
  let key = new Uint8Array(64);
  const stack: { node: Node; bit: 0 | 1 }[] = [{ node: unloadedNode(root, 0), bit: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { start } = step.node;
    key = withRoom(key, start);
    if (start > 0) setBit(key, 0, start - 1, step.bit);
    const node = readable(source, step.node, key);
    if (node === undefined) {
      const place = placeAt(key, start);
      yield { kind: "gap", prefix: place.subarray(0, place.length - 1), bits: start, hash: step.node.hash! };
      continue;
    }
    key = withRoom(key, node.end);
    copyBits(node.bytes, node.base, key, 0, start, node.end);
    const { value, valueHash, valueLength: length } = node;
    if (length !== 0) yield { kind: "value", key: key.slice(0, node.end >> 3), length, value, hash: valueHash };
    if (node.right !== undefined) stack.push({ node: node.right, bit: 1 });
    if (node.left !== undefined) stack.push({ node: node.left, bit: 0 });
  }
}

function readable(source: NodeSource, node: Node, key: Uint8Array): Node | undefined {
  try {
    return source.read(node, key);
  } catch (error) {
    if (error instanceof TrieError) return undefined;
    throw error;
  }
}

function withRoom(key: Uint8Array<ArrayBuffer>, bits: number): Uint8Array<ArrayBuffer> {
  if (bits <= key.length * 8) return key;
  const larger = new Uint8Array(Math.max(key.length * 2, (bits + 7) >> 3));
  larger.set(key);
  return larger;
}
