import { packBits } from "../src/encoding/bits.js";
import type { Node } from "../src/nodes/node.js";
import { decodeNode } from "../src/nodes/node-codec.js";

/** A child in a message: embedded, or referenced by hash. */
export type DecodedChild = { kind: "embedded"; node: DecodedNode } | { kind: "hash"; hash: Uint8Array };

/** Content of one node message, of either format. */
export interface DecodedNode {
  /** Length of the shared path in bits. The bits are packed from the most significant one on. */
  pathBits: number;
  path: Uint8Array;
  left: DecodedChild | undefined;
  right: DecodedChild | undefined;
  /** Size of the children; 0 in the old format, which has no such field. */
  childrenSize: number;
  /** Value. A long value is given by its hash; its length is -1 in the old format, which does not contain it. */
  value: { bytes: Uint8Array } | { hash: Uint8Array; length: number } | undefined;
}

/**
 * Decodes a node message. Strict and total: throws {@link TrieError} `MALFORMED_NODE` for anything else
 * (`spec/01 §4.2`, `§4.3`).
 */
export function decodeNodeMessage(message: Uint8Array): DecodedNode {
  return describe(decodeNode(message));
}

function describe(node: Node): DecodedNode {
  const pathBits = node.end - node.start;
  const path = new Uint8Array((pathBits + 7) >> 3);
  packBits(node.bytes, node.base, node.start, node.end, path, 0);
  return {
    pathBits,
    path,
    left: describeChild(node.left),
    right: describeChild(node.right),
    childrenSize: Math.max(node.childrenSize, 0),
    value: describeValue(node),
  };
}

function describeChild(child: Node | undefined): DecodedChild | undefined {
  if (child === undefined) return undefined;
  return child.loaded ? { kind: "embedded", node: describe(child) } : { kind: "hash", hash: child.hash! };
}

function describeValue(node: Node): DecodedNode["value"] {
  if (node.valueLength === 0) return undefined;
  return node.value !== undefined ? { bytes: node.value } : { hash: node.valueHash!, length: node.valueLength };
}
