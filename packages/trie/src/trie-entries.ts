import { bitAt, copyBits, setBit } from "./bits.js";
import { Node } from "./node.js";
import type { NodeSource } from "./node-source.js";

/** One key of a trie and its value. */
export interface TrieEntry {
  key: Uint8Array;
  value: Uint8Array;
}

/** Depth-first walk with a single key buffer: a node writes only the positions below those of its ancestors. */
export function* walkEntries(
  root: Node | undefined,
  source: NodeSource,
  prefix: Uint8Array | undefined,
  maxKeyBytes = Number.POSITIVE_INFINITY,
): Generator<TrieEntry> {
  const maxBits = maxKeyBytes * 8;
  const top = prefix === undefined ? loaded(root, source) : descend(root, source, prefix);
  if (top === undefined) return;
  let key = new Uint8Array(64);
  if (prefix !== undefined) key.set(prefix.subarray(0, 64));
  const stack: { node: Node; bit: 0 | 1 }[] = [{ node: top, bit: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (step.node.start > maxBits) continue;
    const node = loaded(step.node, source)!;
    if (node.end > maxBits) continue;
    if (node.end > key.length * 8) key = grow(key, node.end);
    if (node.start > 0) {
      if (node === top && prefix !== undefined) copyBits(prefix, 0, key, 0, 0, Math.min(node.start, prefix.length * 8));
      else setBit(key, 0, node.start - 1, step.bit);
    }
    copyBits(node.bytes, node.base, key, 0, node.start, node.end);
    if (node.valueLength !== 0) {
      yield { key: key.slice(0, node.end >> 3), value: readValue(node, source) };
    }
    if (node.right !== undefined) stack.push({ node: node.right, bit: 1 });
    if (node.left !== undefined) stack.push({ node: node.left, bit: 0 });
  }
}

/** The highest node all of whose keys begin with `prefix`. */
function descend(root: Node | undefined, source: NodeSource, prefix: Uint8Array): Node | undefined {
  const bits = prefix.length * 8;
  let node = loaded(root, source);
  while (node !== undefined) {
    const match = node.matchPath(prefix, bits);
    if (match >= bits) return node;
    if (match < node.end) return undefined;
    node = loaded(bitAt(prefix, match) === 0 ? node.left : node.right, source);
  }
  return undefined;
}

/** The node with its content. An unloaded one is read into a copy, so that a walk does not fill the memory. */
function loaded(node: Node | undefined, source: NodeSource): Node | undefined {
  if (node === undefined || node.loaded) return node;
  const copy = new Node(node.start, node.start);
  copy.copyHash(node);
  copy.loaded = false;
  source.load(copy);
  return copy;
}

function readValue(node: Node, source: NodeSource): Uint8Array {
  const kept = node.value;
  const value = source.value(node)!;
  node.value = kept;
  return value;
}

function grow(key: Uint8Array<ArrayBuffer>, bits: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(key.length * 2, (bits + 7) >> 3));
  larger.set(key);
  return larger;
}
