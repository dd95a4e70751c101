import { keccak256 } from "@cambium/primitives";
import { packBits } from "../encoding/bits.js";
import { MessageReader } from "../encoding/message-reader.js";
import { malformedNode } from "../errors.js";
import { hashValue, type Node, type NodeLoader, unloadedNode } from "./node.js";

// The node format before RSKIP-107: spec/01 §4.3.
const ARITY = 0x02;
const SECURE = 0x01;
const LONG = 0x02;
const LEFT = 0x01;
const RIGHT = 0x02;
const HEADER_LENGTH = 6;
const HASH_LENGTH = 32;

/** Old-format hash of a node, which covers its whole subtree. */
export function oldHash(node: Node, source: NodeLoader, secure: boolean): Uint8Array {
  return keccak256(encodeOldNode(node, source, secure));
}

/** Old-format message of a node. Children are never embedded and are hashed with the same flag. */
export function encodeOldNode(node: Node, source: NodeLoader, secure: boolean): Uint8Array {
  source.load(node);
  const left = node.left === undefined ? undefined : oldHash(node.left, source, secure);
  const right = node.right === undefined ? undefined : oldHash(node.right, source, secure);
  const value = node.hasLongValue ? oldValueHash(node, source) : node.value;
  const bits = node.end - node.start;
  const children = (left === undefined ? 0 : HASH_LENGTH) + (right === undefined ? 0 : HASH_LENGTH);
  const out = new Uint8Array(HEADER_LENGTH + ((bits + 7) >> 3) + children + (value?.length ?? 0));
  out[0] = ARITY;
  out[1] = (secure ? SECURE : 0) | (node.hasLongValue ? LONG : 0);
  out[3] = (left === undefined ? 0 : LEFT) | (right === undefined ? 0 : RIGHT);
  out[4] = bits >> 8;
  out[5] = bits;
  let offset = packBits(node.bytes, node.base, node.start, node.end, out, HEADER_LENGTH);
  for (const part of [left, right, value]) {
    if (part === undefined) continue;
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

function oldValueHash(node: Node, source: NodeLoader): Uint8Array {
  if (node.valueHash === undefined) source.value(node);
  return hashValue(node);
}

/** Decodes an old-format message. Child hashes and value are taken as written; the secure flag is ignored. */
export function decodeOldInto(node: Node, message: Uint8Array): void {
  const reader = new MessageReader(message);
  if (reader.byte() !== ARITY) throw malformedNode("old format: arity");
  const flags = reader.byte();
  if ((flags & ~(SECURE | LONG)) !== 0) throw malformedNode("old format: flags");
  const children = (reader.byte() << 8) | reader.byte();
  if ((children & ~(LEFT | RIGHT)) !== 0) throw malformedNode("old format: child bitmap");
  const bits = (reader.byte() << 8) | reader.byte();
  const { start } = node;
  const bytes = reader.packedPath(bits, start);
  const end = start + bits;
  const left = (children & LEFT) === 0 ? undefined : unloadedNode(reader.bytes(HASH_LENGTH), end + 1);
  const right = (children & RIGHT) === 0 ? undefined : unloadedNode(reader.bytes(HASH_LENGTH), end + 1);
  if ((flags & LONG) !== 0) {
    node.valueHash = reader.bytes(HASH_LENGTH);
    node.valueLength = -1;
    reader.end();
  } else {
    const value = reader.rest();
    if (value.length > HASH_LENGTH) throw malformedNode("old format: long value not marked as long");
    node.value = value.length === 0 ? undefined : value;
    node.valueLength = value.length;
  }
  if (node.valueLength === 0 && (left === undefined || right === undefined)) {
    throw malformedNode("old format: not a node of a canonical trie");
  }
  node.bytes = bytes;
  node.base = start >> 3;
  node.from = start;
  node.end = end;
  node.left = left;
  node.right = right;
  node.saved = true;
  node.valueSaved = true;
  node.loaded = true;
}
