import { BytePool, KECCAK_INPUT } from "@cambium/primitives";
import { compactSizeLength, writeCompactSize } from "../encoding/compact-size.js";
import {
  EMBEDDING_LIMIT,
  HASH_LENGTH,
  hasShortPrefix,
  LEFT,
  LEFT_EMBEDDED,
  LONG,
  LONG_VALUE,
  leafLength,
  PATH,
  RIGHT,
  RIGHT_EMBEDDED,
  VERSION,
  VERSION_MASK,
  writePathBits,
  writeValueLength,
} from "../encoding/message-format.js";
import { MessageReader } from "../encoding/message-reader.js";
import { malformedNode } from "../errors.js";
import { hashValue, Node, type NodeLoader, unloadedNode } from "./node.js";
import { decodeOldInto } from "./old-format.js";
import { hashPacked, unpack, unpackHighest } from "./packed-subtree.js";
import { PACKED_LIMIT } from "./packed-writer.js";

/** First byte of an old-format message: its arity (`spec/01 §4.3`). */
const OLD_FORMAT = 0x02;

/** Most messages exceed what a typed array can keep on the engine's heap. */
const messages = new BytePool({ chunk: 0x10000, shortest: 0, longest: 0x400 });

/** Hashes the node's message unless its hash is known. Splits a packed subtree that has become too large. */
export function hashNode(node: Node, source: NodeLoader): void {
  if (node.hasHash) return;
  if (node.packed !== undefined) {
    hashPacked(node);
    if (node.referenceSize > PACKED_LIMIT) splitPacked(node, source);
    return;
  }
  const length = prepare(node, source);
  if (length > KECCAK_INPUT.length) {
    node.setHashOf(write(node, new Uint8Array(length)));
    return;
  }
  write(node, KECCAK_INPUT);
  node.setHashOfInput(length);
}

/** Replaces a packed node's record by those of its children. */
export function splitPacked(node: Node, source: NodeLoader): void {
  unpackHighest(node);
  // The hashes below a node with a hash are known.
  if (node.hasHash) prepare(node, source);
}

/** Replaces a packed node's record by all nodes below it. */
export function unpackAll(node: Node, source: NodeLoader): void {
  unpack(node);
  if (node.hasHash) prepare(node, source);
}

/** Whether a node is a leaf of at most 44 bytes, which is embedded in its parent's message. */
export function isEmbedded(node: Node): boolean {
  return node.loaded && node.isLeaf && ownLength(node) <= EMBEDDING_LIMIT;
}

/** Length of the message of a node without its children. */
function ownLength({ start, end, valueLength }: Node): number {
  // A value of unknown length has a known hash.
  return leafLength(end - start, valueLength < 0 ? LONG_VALUE + 1 : valueLength);
}

/** Message of a node (`spec/01 §4.2`); encodes and hashes its descendants where necessary. */
export function encodeNode(node: Node, source: NodeLoader): Uint8Array {
  const length = prepare(node, source);
  return write(node, messages.allocate(length));
}

/** Computes everything that {@link write} needs, and the sizes of a node; returns the length of its message. */
function prepare(node: Node, source: NodeLoader): number {
  source.load(node);
  if (node.valueLength < 0) source.value(node);
  const { left, right } = node;
  let length = prepareLeaf(node);
  if (left !== undefined) length += prepareChild(left, source);
  if (right !== undefined) length += prepareChild(right, source);
  if (node.childrenSize < 0) node.childrenSize = referenceSize(left, source) + referenceSize(right, source);
  if (!node.isLeaf) length += compactSizeLength(node.childrenSize);
  node.referenceSize = node.childrenSize + length + (node.hasLongValue ? node.valueLength : 0);
  return length;
}

/** Writes the message of a node to the beginning of `out`. Computes no hashes. */
function write(node: Node, out: Uint8Array): Uint8Array {
  const { left, right } = node;
  let flags = ownFlags(node);
  let offset = writePath(node, out, 1);
  if (left !== undefined) {
    flags |= isEmbedded(left) ? LEFT | LEFT_EMBEDDED : LEFT;
    offset = writeChild(left, out, offset);
  }
  if (right !== undefined) {
    flags |= isEmbedded(right) ? RIGHT | RIGHT_EMBEDDED : RIGHT;
    offset = writeChild(right, out, offset);
  }
  if (!node.isLeaf) offset = writeCompactSize(node.childrenSize, out, offset);
  writeValue(node, out, offset);
  out[0] = flags;
  return out;
}

function ownFlags(node: Node): number {
  return VERSION | (node.end > node.start ? PATH : 0) | (node.hasLongValue ? LONG : 0);
}

/** Length of the message of a node without its children; hashes a long value. */
function prepareLeaf(node: Node): number {
  if (node.hasLongValue) hashValue(node);
  return ownLength(node);
}

/** Prepares a child for its parent's message; returns its length in that message. */
function prepareChild(child: Node, source: NodeLoader): number {
  if (isEmbedded(child)) {
    if (child.valueLength < 0) source.value(child);
    const length = prepareLeaf(child);
    child.childrenSize = 0;
    child.referenceSize = length + (child.hasLongValue ? child.valueLength : 0);
    return 1 + length;
  }
  hashNode(child, source);
  return HASH_LENGTH;
}

/** Writes a child. An embedded leaf is written in place, which avoids an array for its message. */
function writeChild(child: Node, out: Uint8Array, offset: number): number {
  if (!isEmbedded(child)) {
    child.writeHash(out, offset);
    return offset + HASH_LENGTH;
  }
  const start = offset + 1;
  const end = writeValue(child, out, writePath(child, out, start + 1));
  out[start] = ownFlags(child);
  out[offset] = end - start;
  return end;
}

/**
 * Returns a child's contribution to its parent's childrenSize: its own childrenSize, its message and its long value.
 */
function referenceSize(child: Node | undefined, source: NodeLoader): number {
  if (child === undefined) return 0;
  if (child.referenceSize < 0) {
    source.load(child);
    if (child.referenceSize < 0) encodeNode(child, source);
  }
  return child.referenceSize;
}

export function writePath({ bytes, base, start, end }: Node, out: Uint8Array, offset: number): number {
  return writePathBits(bytes, base, start, end, out, offset);
}

function writeValue(node: Node, out: Uint8Array, offset: number): number {
  if (!node.hasLongValue) {
    if (node.value !== undefined) out.set(node.value, offset);
    return offset + node.valueLength;
  }
  out.set(hashValue(node), offset);
  return writeValueLength(node.valueLength, out, offset + HASH_LENGTH);
}

/**
 * Decodes a message of either format into a node whose path starts at `start`; children that are not embedded stay
 * unloaded. Strict: a new-format message decodes only if {@link encodeNode} writes the same bytes. Throws
 * {@link TrieError} `MALFORMED_NODE` if the message is malformed.
 */
export function decodeNode(message: Uint8Array, start = 0): Node {
  const node = new Node(start, start);
  node.loaded = false;
  decodeInto(node, message);
  return node;
}

/** Decodes like {@link decodeNode}, into a node whose hash alone is known. */
export function decodeInto(node: Node, message: Uint8Array): void {
  if (message[0] === OLD_FORMAT) decodeOldInto(node, message);
  else decodeNewInto(node, message);
}

function decodeNewInto(node: Node, message: Uint8Array): void {
  const reader = new MessageReader(message);
  const flags = readFlags(reader);
  const hasLeft = (flags & LEFT) !== 0;
  const hasRight = (flags & RIGHT) !== 0;
  const { start } = node;
  const bits = (flags & PATH) !== 0 ? readPathLength(reader) : 0;
  const bytes = reader.packedPath(bits, start);
  const end = start + bits;
  const left = hasLeft ? readChild(reader, (flags & LEFT_EMBEDDED) !== 0, end + 1) : undefined;
  const right = hasRight ? readChild(reader, (flags & RIGHT_EMBEDDED) !== 0, end + 1) : undefined;
  const childrenSize = hasLeft || hasRight ? reader.compactSize() : 0;
  readValue(node, reader, (flags & LONG) !== 0);
  if (node.valueLength === 0 && !(hasLeft && hasRight)) throw malformedNode("not a node of a canonical trie");
  node.bytes = bytes;
  node.base = start >> 3;
  node.from = start;
  node.end = end;
  node.left = left;
  node.right = right;
  node.childrenSize = childrenSize;
  node.referenceSize = childrenSize + message.length + (node.hasLongValue ? node.valueLength : 0);
  node.saved = true;
  node.valueSaved = true;
  node.loaded = true;
}

/** Reads the first byte of a message; checks its version and that no absent child has an embedded flag. */
export function readFlags(reader: MessageReader): number {
  const flags = reader.byte();
  if ((flags & VERSION_MASK) !== VERSION) throw malformedNode("format version");
  if (
    ((flags & LEFT_EMBEDDED) !== 0 && (flags & LEFT) === 0) ||
    ((flags & RIGHT_EMBEDDED) !== 0 && (flags & RIGHT) === 0)
  ) {
    throw malformedNode("embedded flag of an absent child");
  }
  return flags;
}

export function readPathLength(reader: MessageReader): number {
  const prefix = reader.byte();
  if (prefix < 32) return prefix + 1;
  if (prefix < 0xff) return prefix + 128;
  const bits = reader.compactSize();
  if (hasShortPrefix(bits)) throw malformedNode("path length is not in its shortest form");
  return bits;
}

function readChild(reader: MessageReader, embedded: boolean, start: number): Node {
  if (!embedded) {
    const child = unloadedNode(undefined, start);
    reader.hash(child);
    return child;
  }
  const length = reader.byte();
  if (length > EMBEDDING_LIMIT) throw malformedNode("embedded child too long");
  const message = reader.bytes(length);
  const child = new Node(start, start);
  decodeNewInto(child, message);
  if (!child.isLeaf) throw malformedNode("embedded child with children");
  return child;
}

function readValue(node: Node, reader: MessageReader, long: boolean): void {
  if (!long) {
    node.valueLength = reader.left;
    if (node.valueLength > LONG_VALUE) throw malformedNode("long value not marked as long");
    node.value = node.valueLength === 0 ? undefined : reader.rest();
    return;
  }
  const hash = reader.bytes(HASH_LENGTH);
  const length = (reader.byte() << 16) | (reader.byte() << 8) | reader.byte();
  if (length <= LONG_VALUE) throw malformedNode("short value marked as long");
  reader.end();
  node.valueHash = hash;
  node.valueLength = length;
  node.value = undefined;
}
