import { bitAt, copyBits, setBit } from "./encoding/bits.js";
import { NO_KEY } from "./encoding/place.js";
import type { Node } from "./nodes/node.js";
import type { NodeSource } from "./nodes/node-source.js";

/** One key of a trie and its value. */
export interface TrieEntry {
  key: Uint8Array;
  value: Uint8Array;
}

/** Options of `Trie.entries`. */
interface EntriesOptions {
  prefix: Uint8Array | undefined;
  maxKeyBytes: number | undefined;
  longValue: ((key: Uint8Array) => Uint8Array | undefined) | undefined;
}

/** Depth-first walk over keys and values. */
export function* walkEntries(
  root: Node | undefined,
  source: NodeSource,
  { prefix, maxKeyBytes = Number.POSITIVE_INFINITY, longValue }: EntriesOptions,
): Generator<TrieEntry> {
  const maxBits = maxKeyBytes * 8;
  for (const { node, key } of walkNodes(root, source, prefix, maxBits)) {
    if (node.valueLength === 0) continue;
    const whole = key.slice(0, node.end >> 3);
    const isRead = node.value === undefined && longValue !== undefined;
    const value = isRead ? longValue(whole) : source.readValue(node);
    if (value !== undefined) yield { key: whole, value };
  }
}

/** Yields the nodes all of whose keys begin with `prefix`, like {@link walkSubtree}. */
function* walkNodes(
  root: Node | undefined,
  source: NodeSource,
  prefix: Uint8Array = NO_KEY,
  maxBits = Number.POSITIVE_INFINITY,
): Generator<{ node: Node; key: Uint8Array }> {
  const top = descend(root, source, prefix);
  if (top !== undefined) yield* walkSubtree(top, source, prefix, maxBits);
}

/**
 * Yields a node, whose keys begin with `above`, and those below it, each before those below itself. The first bits of
 * the buffer, up to the end of the node's path, are those of its keys. Leaves out nodes whose path ends beyond
 * `maxBits`.
 */
export function* walkSubtree(
  top: Node,
  source: NodeSource,
  above: Uint8Array,
  maxBits = Number.POSITIVE_INFINITY,
): Generator<{ node: Node; key: Uint8Array }> {
  let key = new Uint8Array(Math.max(64, above.length));
  key.set(above);
  const stack: { node: Node; bit: 0 | 1 }[] = [{ node: top, bit: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    if (step.node.start > maxBits) continue;
    if (step.node.start > key.length * 8) key = grow(key, step.node.start);
    if (step.node !== top) setBit(key, 0, step.node.start - 1, step.bit);
    const node = source.read(step.node, key);
    if (node.end > maxBits) continue;
    if (node.end > key.length * 8) key = grow(key, node.end);
    copyBits(node.bytes, node.base, key, 0, node.start, node.end);
    // A node that is saved in the meantime may lose its children.
    if (node.right !== undefined) stack.push({ node: node.right, bit: 1 });
    if (node.left !== undefined) stack.push({ node: node.left, bit: 0 });
    yield { node, key };
  }
}

/** Returns the highest node all of whose keys begin with `prefix`; the root if that is empty. */
function descend(root: Node | undefined, source: NodeSource, prefix: Uint8Array): Node | undefined {
  const bits = prefix.length * 8;
  let node = root && source.read(root, prefix);
  while (node !== undefined) {
    const match = node.matchPath(prefix, bits);
    if (match >= bits) return node;
    if (match < node.end) return undefined;
    const child: Node | undefined = bitAt(prefix, match) === 0 ? node.left : node.right;
    node = child && source.read(child, prefix);
  }
  return undefined;
}

function grow(key: Uint8Array<ArrayBuffer>, bits: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(key.length * 2, (bits + 7) >> 3));
  larger.set(key);
  return larger;
}
