import { EMPTY_TRIE_ROOT, equalBytes } from "@cambium/primitives";
import type { NodeReader } from "./interface.js";
import { hashValue, unloadedNode } from "./node.js";
import { NodeSource } from "./node-source.js";
import { PACKED_LIMIT, PackedWriter } from "./packed-writer.js";
import { placeAt } from "./place.js";
import { walkNodes } from "./trie-entries.js";

/** What a store under places has of a node or a small subtree, or a value and its key. */
export type StoredPart =
  | { kind: "record"; place: Uint8Array; record: Uint8Array }
  /** A store under places has a record of its own of a node that belongs to a small subtree. */
  | { kind: "vacated"; place: Uint8Array }
  | { kind: "value"; key: Uint8Array; value: Uint8Array };

/** A small subtree whose entries are being collected. */
interface Packing {
  start: number;
  place: Uint8Array;
  writer: PackedWriter;
}

/**
 * The records by which a store under places has a trie, and the values, unless the trie is in such a store. Keeps nothing in memory. Throws
 * `TrieError` as every read of a trie does.
 */
export function* storedParts(reader: NodeReader, root: Uint8Array): Generator<StoredPart> {
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return;
  // A node that is embedded in its parent is not read from the store.
  let message: Uint8Array | undefined;
  let packing: Packing | undefined;
  const get: NodeReader["get"] = (hash, key, start) => (message = reader.get(hash, key, start));
  const elsewhere: NodeReader["get"] = (hash, key, start) => (message = reader.elsewhere?.(hash, key, start));
  const byPlace = reader.byPlace === true;
  const source = new NodeSource({ get, elsewhere, byPlace }, undefined);
  for (const { node, key } of walkNodes(unloadedNode(root, 0), source)) {
    const { start, valueLength, referenceSize } = node;
    if (packing !== undefined && start <= packing.start) {
      yield packedPart(packing);
      packing = undefined;
    }
    if (message !== undefined) {
      const place = placeAt(key, start);
      if (packing !== undefined) {
        if (byPlace) yield { kind: "vacated", place };
      } else if (referenceSize <= PACKED_LIMIT) packing = { start, place, writer: new PackedWriter() };
      else yield { kind: "record", place, record: message };
    }
    if (valueLength !== 0) {
      const whole = key.slice(0, node.end >> 3);
      const stored = node.hasLongValue ? hashValue(node) : node.value!;
      const suffix = { bytes: whole, from: (packing?.start ?? 0) >> 3, to: whole.length };
      packing?.writer.add(suffix, { bytes: stored, from: 0, to: stored.length }, valueLength);
      if (!byPlace) yield { kind: "value", key: whole, value: source.value(node)! };
    }
    message = undefined;
  }
  if (packing !== undefined) yield packedPart(packing);
}

function packedPart({ place, writer }: Packing): StoredPart {
  return { kind: "record", place, record: writer.record() };
}
