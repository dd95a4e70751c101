import { copyBits } from "../encoding/bits.js";
import { compactSizeLength, writeCompactSize } from "../encoding/compact-size.js";
import {
  LEFT,
  LEFT_EMBEDDED,
  LONG,
  LONG_VALUE,
  PATH,
  pathLength,
  RIGHT,
  RIGHT_EMBEDDED,
  VERSION,
} from "../encoding/message-format.js";
import { MessageReader } from "../encoding/message-reader.js";
import { keyBeyond } from "../encoding/place.js";
import { malformedNode, TrieError } from "../errors.js";
import { Node, unloadedNode } from "../nodes/node.js";
import { isEmbedded, readFlags, readPathLength, writePath } from "../nodes/node-codec.js";
import type { NodeSource } from "../nodes/node-source.js";

/*
 * The encoding of a node inside a state chunk (`spec/07 §B.9`): its message without the hashes of its children, with
 * embedded children in this encoding, and with its long value instead of the value's hash.
 */

const EMBEDDED_LENGTH_LENGTH = 3;

/** Whether a child is stored separately. */
export function isSeparate(child: Node | undefined): child is Node {
  return child !== undefined && !isEmbedded(child);
}

/**
 * Returns the bytes that a node and its embedded children occupy in the state's byte sequence; its `referenceSize` must
 * be known.
 */
export function stepOf(node: Node): number {
  const { left, right } = node;
  if (!isSeparate(left) && !isSeparate(right)) return node.referenceSize;
  return node.referenceSize - node.childrenSize + embeddedSize(left) + embeddedSize(right);
}

/** Returns the bytes that a child which is not stored separately occupies. */
export function embeddedSize(child: Node | undefined): number {
  return child !== undefined && isEmbedded(child) ? child.referenceSize : 0;
}

/** Source of long values that are not in memory. */
export interface ValueReader {
  readonly source: NodeSource;
  readonly longValue: ((key: Uint8Array) => Uint8Array | undefined) | undefined;
}

/** Returns the key of a node with a value; `above` begins with the bits above the node. */
function keyOf(node: Node, above: Uint8Array): Uint8Array {
  const key = new Uint8Array(node.end >> 3);
  key.set(above.subarray(0, Math.min((node.start + 7) >> 3, key.length)));
  copyBits(node.bytes, node.base, key, 0, node.start, node.end);
  return key;
}

/**
 * Encodes a node; `key` begins with the bits above it and those of its path. Throws {@link TrieError} `MISSING_VALUE`
 * if a long value cannot be read.
 */
export function encodeChunkNode(node: Node, key: Uint8Array, values: ValueReader): Uint8Array {
  const left = embeddedPart(node, 0, key, values);
  const right = embeddedPart(node, 1, key, values);
  const value = nodeValue(node, key, values);
  const sizeLength = node.isLeaf ? 0 : compactSizeLength(node.childrenSize);
  const parts = partLength(left) + partLength(right) + sizeLength + (value?.length ?? 0);
  const out = new Uint8Array(1 + pathLength(node.end - node.start) + parts);
  out[0] = flagsOf(node);
  let offset = writePath(node, out, 1);
  offset = writePart(left, out, offset);
  offset = writePart(right, out, offset);
  if (!node.isLeaf) offset = writeCompactSize(node.childrenSize, out, offset);
  if (value !== undefined) out.set(value, offset);
  return out;
}

function flagsOf({ left, right, start, end, hasLongValue }: Node): number {
  let flags = VERSION;
  if (left !== undefined) flags |= isSeparate(left) ? LEFT : LEFT | LEFT_EMBEDDED;
  if (right !== undefined) flags |= isSeparate(right) ? RIGHT : RIGHT | RIGHT_EMBEDDED;
  if (end > start) flags |= PATH;
  return hasLongValue ? flags | LONG : flags;
}

function embeddedPart(node: Node, bit: 0 | 1, key: Uint8Array, values: ValueReader): Uint8Array | undefined {
  const child = bit === 0 ? node.left : node.right;
  if (child === undefined || isSeparate(child)) return undefined;
  return encodeChunkNode(child, keyOf(child, keyBeyond(key, node.end, bit)), values);
}

function nodeValue(node: Node, key: Uint8Array, { source, longValue }: ValueReader): Uint8Array | undefined {
  if (node.value !== undefined || node.valueLength === 0) return node.value;
  if (longValue === undefined) return source.readValue(node);
  const value = longValue(keyOf(node, key));
  if (value === undefined) throw new TrieError({ code: "MISSING_VALUE", hash: node.valueHash! });
  return value;
}

function partLength(part: Uint8Array | undefined): number {
  return part === undefined ? 0 : EMBEDDED_LENGTH_LENGTH + part.length;
}

function writePart(part: Uint8Array | undefined, out: Uint8Array, offset: number): number {
  if (part === undefined) return offset;
  out[offset] = part.length >> 16;
  out[offset + 1] = part.length >> 8;
  out[offset + 2] = part.length;
  out.set(part, offset + EMBEDDED_LENGTH_LENGTH);
  return offset + EMBEDDED_LENGTH_LENGTH + part.length;
}

/**
 * The inverse of {@link encodeChunkNode}; children that are not embedded have no hash yet. Strict, and at most one
 * level deep because only leaves are embedded. Throws {@link TrieError} `MALFORMED_NODE` if the bytes are malformed.
 */
export function decodeChunkNode(bytes: Uint8Array): Node {
  return decodeAt(bytes, 0, false);
}

function decodeAt(bytes: Uint8Array, start: number, mustBeLeaf: boolean): Node {
  const reader = new MessageReader(bytes);
  const flags = readFlags(reader);
  const hasLeft = (flags & LEFT) !== 0;
  const hasRight = (flags & RIGHT) !== 0;
  if (mustBeLeaf && (hasLeft || hasRight)) throw malformedNode("embedded child with children");
  const bits = (flags & PATH) !== 0 ? readPathLength(reader) : 0;
  const node = new Node(start, start + bits);
  node.base = start >> 3;
  node.from = start;
  node.bytes = reader.packedPath(bits, start);
  if (hasLeft) node.left = readChild(reader, (flags & LEFT_EMBEDDED) !== 0, node.end + 1);
  if (hasRight) node.right = readChild(reader, (flags & RIGHT_EMBEDDED) !== 0, node.end + 1);
  node.childrenSize = hasLeft || hasRight ? reader.compactSize() : 0;
  readValue(node, reader.rest(), (flags & LONG) !== 0);
  if (node.valueLength === 0 && !(hasLeft && hasRight)) throw malformedNode("not a node of a canonical trie");
  return node;
}

function readChild(reader: MessageReader, embedded: boolean, start: number): Node {
  if (!embedded) return unloadedNode(undefined, start);
  const length = (reader.byte() << 16) | (reader.byte() << 8) | reader.byte();
  const child = decodeAt(reader.bytes(length), start, true);
  if (!isEmbedded(child)) throw malformedNode("embedded child too long");
  return child;
}

function readValue(node: Node, value: Uint8Array, long: boolean): void {
  if (value.length > LONG_VALUE !== long) throw malformedNode("long-value flag does not match the value");
  node.valueLength = value.length;
  node.value = value.length === 0 ? undefined : value;
}
