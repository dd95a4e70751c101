import { decodeRlpList, EMPTY_BYTES, encodeRlp, equalBytes, RlpError, type RlpItem } from "@cambium/primitives";
import { TrieError } from "./errors.js";

/** Bytes of the state that a chunk spans (`spec/07 §B.7`). */
export const STATE_CHUNK_BYTES = 50 * 1024;

/** Longest encoding that is looked at: what a frame can carry (`spec/07 §D.4`). */
export const STATE_CHUNK_LIMIT = 256 * 1024;

/** A part of a state as it travels. Offsets count the bytes of the state as `spec/07 §B.9` does. */
export interface StateChunk {
  from: number;
  /** Exclusive: the chunk has the nodes that end in [from, to). */
  to: number;
  /** The state's last node is in it. */
  complete: boolean;
  /** RLP. */
  encoded: Uint8Array;
}

/** A node on the border of a chunk and the hash of its child beyond, empty where there is none. */
export interface BorderNode {
  node: Uint8Array;
  hash: Uint8Array;
}

/** The five elements of a chunk, nodes in the encoding of `state-chunk-node.ts`, in the order of the trie. */
export interface ChunkContent {
  /** Ancestors of the first node that the way leaves to the right, the root's side first, with their left hash. */
  preRoots: readonly BorderNode[];
  nodes: readonly Uint8Array[];
  firstNodeLeftHash: Uint8Array;
  /** Left and right hash of the last node; undefined when there are no nodes. */
  lastNodeHashes: readonly [Uint8Array, Uint8Array] | undefined;
  /** First node after the chunk and those of its ancestors that the way leaves to the left, with their right hash. */
  postRoots: readonly BorderNode[];
}

export function encodeChunk(content: ChunkContent): Uint8Array {
  const border = ({ node, hash }: BorderNode) => [node, hash];
  return encodeRlp([
    content.preRoots.map(border),
    content.nodes,
    content.firstNodeLeftHash,
    content.lastNodeHashes ?? [],
    content.postRoots.map(border),
  ]);
}

/** Strict: what decodes encodes to the same bytes. Throws {@link TrieError} `INVALID_CHUNK`. */
export function decodeChunk(encoded: Uint8Array): ChunkContent {
  if (encoded.length > STATE_CHUNK_LIMIT) throw invalidChunk(`${encoded.length} bytes`);
  const content = readChunk(encoded);
  if (!equalBytes(encodeChunk(content), encoded)) throw invalidChunk("not in its shortest form");
  return content;
}

function readChunk(encoded: Uint8Array): ChunkContent {
  try {
    const [pre, nodes, first, last, post, ...more] = decodeRlpList(encoded);
    if (post === undefined || more.length > 0) throw invalidChunk("number of elements");
    return {
      preRoots: pre!.items.map(readBorder),
      nodes: nodes!.items.map(readString),
      firstNodeLeftHash: readHash(first!),
      lastNodeHashes: readLast(last!),
      postRoots: post.items.map(readBorder),
    };
  } catch (error) {
    if (error instanceof RlpError) throw invalidChunk(error.message);
    throw error;
  }
}

function readBorder(item: RlpItem): BorderNode {
  const [node, hash, ...more] = item.items;
  if (hash === undefined || more.length > 0) throw invalidChunk("border node");
  return { node: readString(node!), hash: readHash(hash) };
}

function readLast({ items }: RlpItem): ChunkContent["lastNodeHashes"] {
  if (items.length === 0) return undefined;
  if (items.length !== 2) throw invalidChunk("hashes of the last node");
  return [readHash(items[0]!), readHash(items[1]!)];
}

function readString(item: RlpItem): Uint8Array {
  if (item.isList) throw invalidChunk("list in place of a string");
  return item.bytes;
}

function readHash(item: RlpItem): Uint8Array {
  const bytes = readString(item);
  if (bytes.length !== 0 && bytes.length !== 32) throw invalidChunk("hash length");
  return bytes.length === 0 ? EMPTY_BYTES : bytes;
}

export function invalidChunk(reason: string): TrieError {
  return new TrieError({ code: "INVALID_CHUNK", reason });
}
