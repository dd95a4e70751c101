import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { copyBits, packBits, setBit, unpackBits } from "../encoding/bits.js";
import { placeAt } from "../encoding/place.js";
import { hashValue, type Node } from "../nodes/node.js";
import { encodeNode, hashNode } from "../nodes/node-codec.js";
import { NodeSource } from "../nodes/node-source.js";
import { type ChunkContent, decodeChunk, invalidChunk, type StateChunk } from "./state-chunk.js";
import { decodeChunkNode, embeddedSize, isSeparate, stepOf } from "./state-chunk-node.js";

/** A verified chunk of the state: the state root covers every byte of it. */
export interface VerifiedStateChunk {
  /**
   * Offset of the first node; `end` is the offset of the first node after the chunk. Undefined if the chunk has no
   * complete node and does not show both neighbours of the node that contains it.
   */
  start: number | undefined;
  end: number | undefined;
  /** Offset at which the first node after the chunk ends; the end of the state if there is none. */
  nextEnd: number | undefined;
  complete: boolean;
  /** Size of the whole state. */
  stateSize: number;
  nodeCount: number;
  /** Passes every node and every value of the chunk to `sink`. */
  save(sink: StateChunkSink): void;
}

/** Receives the content of a chunk. */
export interface StateChunkSink {
  /** A node with its hash and its place (`place.ts`). */
  node(message: Uint8Array, hash: Uint8Array, place: Uint8Array): void;
  /** A value. One that is not part of its node has a hash. */
  value(value: Uint8Array, key: Uint8Array, hash: Uint8Array | undefined): void;
}

/**
 * Verifies a chunk by itself (`spec/07 §B.9`). The tree rebuilt from its nodes must have the state root, and the chunk
 * must contain exactly the nodes that end in [from, to). No child of a kept node stays unknown, because the hashes
 * beyond the left and right borders are given and all others are computed. The kept nodes can therefore be stored
 * immediately. Time and memory are proportional to the chunk's length, regardless of its content. Throws
 * {@link TrieError} `INVALID_CHUNK` or `MALFORMED_NODE` if it is invalid.
 */
export function verifyStateChunk(chunk: StateChunk, stateRoot: Uint8Array): VerifiedStateChunk {
  const content = decodeChunk(chunk.encoded);
  checkOutline(content, chunk);
  const entries = entriesOf(content);
  const root = rebuild(entries);
  if (!equalBytes(root.node.hash!, stateRoot)) throw invalidChunk("does not match the state root");
  const first = content.preRoots.length;
  const kept = entries.slice(first, first + content.nodes.length);
  for (const item of placed(root)) checkKeys(item);
  const start = startOf(root, entries[first]!);
  const next = entries[first + kept.length];
  const end = checkWindow(chunk, start, kept, next);
  return {
    start,
    end,
    nextEnd: end === undefined || next === undefined || chunk.complete ? end : end + stepOf(next.node),
    complete: chunk.complete,
    stateSize: root.node.referenceSize,
    nodeCount: kept.length,
    save: (sink) => {
      for (const item of placed(root)) {
        const index = item.entry.index - first;
        if (index >= 0 && index < kept.length) saveNode(item, sink);
      }
    },
  };
}

/** A chunk's node with its position and the given hashes. */
interface Entry {
  node: Node;
  /** Given hashes, empty for an absent child; undefined if the chunk does not give them. */
  leftHash: Uint8Array | undefined;
  rightHash: Uint8Array | undefined;
  /** Whether the left or right subtree may be known by the given hash only. */
  mayCutLeft: boolean;
  mayCutRight: boolean;
  /** Rebuilt subtrees. */
  left: Entry | undefined;
  right: Entry | undefined;
  /** Position in trie order. */
  index: number;
}

const noStore = new NodeSource(undefined, undefined);

function checkOutline({ nodes, lastNodeHashes, postRoots }: ChunkContent, { complete }: StateChunk): void {
  if ((lastNodeHashes === undefined) !== (nodes.length === 0)) throw invalidChunk("hashes of the last node");
  if (complete !== (postRoots.length === 0)) throw invalidChunk("nodes after the chunk");
  if (complete && nodes.length === 0) throw invalidChunk("empty last chunk");
}

/**
 * Returns all nodes in trie order. A chunk without a complete node gives the left hash of the node that contains it.
 * The containing node is then the first of `postRoots` (`spec/07 §B.9`, defect of the format).
 */
function entriesOf(content: ChunkContent): Entry[] {
  const { preRoots, nodes, postRoots, firstNodeLeftHash, lastNodeHashes } = content;
  const entries: Entry[] = [
    ...preRoots.map(({ node, hash }) => entry(node, { leftHash: hash, mayCutLeft: true })),
    ...nodes.map((node) => entry(node, {})),
    ...postRoots.map(({ node, hash }) => entry(node, { rightHash: hash, mayCutRight: true })),
  ];
  const first = entries[preRoots.length]!;
  first.leftHash = firstNodeLeftHash;
  first.mayCutLeft = true;
  if (lastNodeHashes !== undefined) {
    const last = entries[preRoots.length + nodes.length - 1]!;
    if (last === first && !equalBytes(lastNodeHashes[0], firstNodeLeftHash)) throw invalidChunk("left hashes differ");
    last.leftHash = lastNodeHashes[0];
    last.rightHash = lastNodeHashes[1];
  }
  for (const [index, item] of entries.entries()) item.index = index;
  return entries;
}

function entry(bytes: Uint8Array, known: Partial<Entry>): Entry {
  return {
    node: decodeChunkNode(bytes),
    leftHash: undefined,
    rightHash: undefined,
    mayCutLeft: false,
    mayCutRight: false,
    left: undefined,
    right: undefined,
    index: 0,
    ...known,
  };
}

/**
 * Rebuilds the tree over entries in order. The root of a range is its first entry with the greatest childrenSize, and
 * recursively below. A single pass hashes each node once its subtrees are complete.
 */
function rebuild(entries: readonly Entry[]): Entry {
  const open: Entry[] = [];
  for (const next of entries) {
    next.left = closeBelow(open, next.node.childrenSize);
    open.push(next);
  }
  return closeBelow(open, Number.POSITIVE_INFINITY)!;
}

/** Completes the open entries with a smaller childrenSize, each of which is the right subtree of the previous one. */
function closeBelow(open: Entry[], size: number): Entry | undefined {
  let below: Entry | undefined;
  for (let top = open.at(-1); top !== undefined && top.node.childrenSize < size; top = open.at(-1)) {
    open.pop();
    top.right = below;
    complete(top);
    below = top;
  }
  return below;
}

function complete(item: Entry): void {
  const { node } = item;
  setChildHash(node.left, item.left, item.leftHash, item.mayCutLeft);
  setChildHash(node.right, item.right, item.rightHash, item.mayCutRight);
  hashNode(node, noStore);
}

const HASH_LENGTH = 32;

function setChildHash(
  child: Node | undefined,
  built: Entry | undefined,
  given: Uint8Array | undefined,
  mayCut: boolean,
): void {
  if (!isSeparate(child)) {
    if (built !== undefined || (given ?? EMPTY_BYTES).length > 0) throw invalidChunk("hash of an absent child");
    return;
  }
  const hash = built?.node.hash ?? (mayCut ? given : undefined);
  if (hash === undefined || hash.length !== HASH_LENGTH) throw invalidChunk("missing nodes");
  if (given !== undefined && !equalBytes(given, hash)) throw invalidChunk("child hash mismatch");
  child.hash = hash;
}

/**
 * Returns the offset of an entry, from the subtree sizes of its ancestors, all covered by the root. Undefined if the
 * chunk contains neither subtree of the entry itself.
 */
function startOf(root: Entry, wanted: Entry): number | undefined {
  let base = 0;
  for (let at = root; ; ) {
    if (wanted.index < at.index) {
      at = at.left!;
      continue;
    }
    const before = leftSize(at);
    if (before === undefined) return undefined;
    if (at === wanted) return base + before;
    base += before + stepOf(at.node);
    at = at.right!;
  }
}

/** Returns the size of the left subtree: the rebuilt one's, or the rest of the sum. */
function leftSize({ node, left, right }: Entry): number | undefined {
  if (!isSeparate(node.left)) return 0;
  if (left !== undefined) return left.node.referenceSize;
  if (!isSeparate(node.right)) return node.childrenSize - embeddedSize(node.right);
  return right === undefined ? undefined : node.childrenSize - right.node.referenceSize;
}

/** Checks that exactly the nodes that end in [from, to) are kept; returns the end of the last one. */
function checkWindow(
  { from, to, complete: isLast }: StateChunk,
  start: number | undefined,
  kept: readonly Entry[],
  next: Entry | undefined,
): number | undefined {
  if (start === undefined) {
    if (from === 0 || stepOf(next!.node) <= to - from) throw invalidChunk("belongs to another part of the state");
    return undefined;
  }
  if (start > 0 && start >= from) throw invalidChunk("starts too late");
  let end = start;
  for (const { node } of kept) {
    end += stepOf(node);
    if (end < from) throw invalidChunk("starts too early");
    if (end >= to) throw invalidChunk("ends too late");
  }
  if (!isLast && end + stepOf(next!.node) < to) throw invalidChunk("ends too early");
  return end;
}

/** A node of a chunk and its position in the trie. */
interface PlacedEntry {
  entry: Entry;
  /** Position at which the node's path starts; positions within the node count from it. */
  start: number;
  /** Key that begins with the bits above the node, then those of its path. */
  key: Uint8Array;
}

/** Maximum length of a key; those of states have at most 74 bytes (`spec/01 §4.4`). */
const MAX_KEY_BITS = 255 * 8;

/** Yields all nodes, each before those below it; the key is valid until the next one. */
function* placed(root: Entry): Generator<PlacedEntry> {
  const key = new Uint8Array(MAX_KEY_BITS >> 3);
  const stack: { entry: Entry; start: number; bit: 0 | 1 }[] = [{ entry: root, start: 0, bit: 0 }];
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    const { entry, start, bit } = step;
    const { node, left, right } = entry;
    const end = start + node.end;
    if (end > MAX_KEY_BITS) throw invalidChunk("keys are too long");
    if (start > 0) setBit(key, 0, start - 1, bit);
    writePathAt(node, start, key);
    yield { entry, start, key };
    if (right !== undefined) stack.push({ entry: right, start: end + 1, bit: 1 });
    if (left !== undefined) stack.push({ entry: left, start: end + 1, bit: 0 });
  }
}

/** Writes a path at other positions than the node's. */
function writePathAt(node: Node, start: number, key: Uint8Array): void {
  const bits = node.end - node.start;
  const packed = new Uint8Array((bits + 7) >> 3);
  packBits(node.bytes, node.base, node.start, node.end, packed, 0);
  copyBits(unpackBits(packed, 0, start, bits), start >> 3, key, 0, start, start + bits);
}

/** Yields the node itself, and its embedded children with the bit above each of them. */
function* partsOf({ node }: Entry): Generator<{ part: Node; bit: 0 | 1 }> {
  yield { part: node, bit: 0 };
  if (node.left?.loaded) yield { part: node.left, bit: 0 };
  if (node.right?.loaded) yield { part: node.right, bit: 1 };
}

/** Checks that keys consist of whole bytes. */
function checkKeys({ entry, start }: PlacedEntry): void {
  for (const { part } of partsOf(entry)) {
    const bits = start + part.end;
    if (bits > MAX_KEY_BITS) throw invalidChunk("keys are too long");
    if (part.valueLength > 0 && (bits & 7) !== 0) throw invalidChunk("value at a part of a byte");
  }
}

function saveNode({ entry, start, key }: PlacedEntry, sink: StateChunkSink): void {
  const { node } = entry;
  for (const { part, bit } of partsOf(entry)) {
    if (part.value === undefined) continue;
    const itsKey = part === node ? key.slice(0, (start + node.end) >> 3) : embeddedKey(part, bit, start, key);
    sink.value(part.value, itsKey, part.hasLongValue ? hashValue(part) : undefined);
  }
  sink.node(encodeNode(node, noStore), node.hash!, placeAt(key, start));
}

/** `start` and `key` are those of the parent. */
function embeddedKey(child: Node, bit: 0 | 1, start: number, key: Uint8Array): Uint8Array {
  const out = key.slice(0, (start + child.end) >> 3);
  setBit(out, 0, start + child.start - 1, bit);
  writePathAt(child, start + child.start, out);
  return out;
}
