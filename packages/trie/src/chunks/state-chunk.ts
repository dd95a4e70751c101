import { decodeRlpList, EMPTY_BYTES, encodeRlp, equalBytes, RlpError, type RlpItem } from "@cambium/primitives";
import { TrieError } from "../errors.js";

/** Number of state bytes that a chunk spans (`spec/07 §B.7`). */
export const STATE_CHUNK_BYTES = 50 * 1024;

/** Maximum length of an accepted encoding: it must fit in a frame (`spec/07 §D.4`). */
const STATE_CHUNK_LIMIT = 256 * 1024;

/** A state chunk as transferred. Offsets count the bytes of the state as in `spec/07 §B.9`. */
export interface StateChunk {
  from: number;
  /** Exclusive end: the chunk contains the nodes that end in [from, to). */
  to: number;
  /** Whether the chunk contains the state's last node. */
  complete: boolean;
  /** RLP encoding. */
  encoded: Uint8Array;
}

/** A node on the border of a chunk, with the hash of its child beyond the border; empty if there is none. */
export interface BorderNode {
  node: Uint8Array;
  hash: Uint8Array;
}

/** The five elements of a chunk, with nodes in trie order in the encoding of `state-chunk-node.ts`. */
export interface ChunkContent {
  /**
   * Ancestors of the first node from which the path continues on the right, from the root down, with their left hash.
   */
  preRoots: readonly BorderNode[];
  nodes: readonly Uint8Array[];
  firstNodeLeftHash: Uint8Array;
  /** Left and right hash of the last node, undefined if there are no nodes. */
  lastNodeHashes: readonly [Uint8Array, Uint8Array] | undefined;
  /**
   * First node after the chunk and those of its ancestors from which the path continues on the left, with their right
   * hash.
   */
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

/** Decodes strictly, only bytes that encode back to themselves. Throws {@link TrieError} `INVALID_CHUNK` otherwise. */
export function decodeChunk(encoded: Uint8Array): ChunkContent {
  if (encoded.length > STATE_CHUNK_LIMIT) throw invalidChunk(`${encoded.length} bytes`);
  const content = readChunk(encoded);
  if (!equalBytes(encodeChunk(content), encoded)) throw invalidChunk("not canonical");
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
  if (item.isList) throw invalidChunk("list instead of a string");
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
