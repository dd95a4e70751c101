import { EMPTY_TRIE_ROOT, equalBytes } from "@cambium/primitives";
import type { NodeReader } from "./interface.js";
import { unloadedNode } from "./node.js";
import { NodeSource } from "./node-source.js";
import { placeAt } from "./place.js";
import { walkNodes } from "./trie-entries.js";

/** A node as it is stored, or a value and its key. */
export type StoredPart =
  | { kind: "node"; place: Uint8Array; message: Uint8Array }
  | { kind: "value"; key: Uint8Array; value: Uint8Array };

/**
 * All nodes and values of a trie in a store under hashes, in the order of their keys, each node with the place at which a store under
 * places has it. Keeps nothing in memory. Throws `TrieError` as every read of a trie does.
 */
export function* storedParts(reader: NodeReader, root: Uint8Array): Generator<StoredPart> {
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return;
  // A node that is embedded in its parent is not read from the store.
  let message: Uint8Array | undefined;
  const get: NodeReader["get"] = (hash, key, start) => (message = reader.get(hash, key, start));
  const source = new NodeSource({ get }, undefined);
  for (const { node, key } of walkNodes(unloadedNode(root, 0), source)) {
    if (message !== undefined) yield { kind: "node", place: placeAt(key, node.start), message };
    if (node.valueLength !== 0) {
      yield { kind: "value", key: key.slice(0, node.end >> 3), value: source.value(node)! };
    }
    message = undefined;
  }
}
