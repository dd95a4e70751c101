import { EMPTY_TRIE_ROOT, equalBytes, keccak256 } from "@cambium/primitives";
import { NO_KEY } from "./encoding/place.js";
import { TrieError } from "./errors.js";
import type { HashSet } from "./hash-set.js";
import type { NodeReader } from "./interface.js";
import type { Node } from "./nodes/node.js";
import { decodeNode } from "./nodes/node-codec.js";

/** A node or long value that is missing from the store, or whose bytes do not match its hash. */
export interface TrieFault {
  kind: "missing" | "corrupt";
  what: "node" | "value";
  hash: Uint8Array;
  /** Reason why it is corrupt. */
  reason?: string;
}

export interface TrieCheckResult {
  /** Number of stored nodes and long values that were visited for the first time. */
  nodes: number;
  values: number;
  /** Total length of these in bytes. */
  bytes: number;
}

/**
 * Visits everything reachable from a root and reports missing or corrupt parts. `visited` is shared between roots:
 * successive states have almost all nodes in common, and each needs only one visit.
 */
export function checkTrie(
  reader: NodeReader,
  root: Uint8Array,
  visited: HashSet,
  report: (fault: TrieFault) => void,
): TrieCheckResult {
  const result: TrieCheckResult = { nodes: 0, values: 0, bytes: 0 };
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return result;
  const hashes: Uint8Array[] = [root];
  for (let hash = hashes.pop(); hash !== undefined; hash = hashes.pop()) {
    if (!visited.add(hash)) continue;
    const message = fetchChecked(reader, hash, "node", report);
    if (message === undefined) continue;
    result.nodes++;
    result.bytes += message.length;
    const node = decodeReporting(message, hash, report);
    if (node === undefined) continue;
    for (const part of [node, node.left, node.right]) {
      if (part === undefined) continue;
      if (!part.loaded) hashes.push(part.hash!);
      else if (part.hasLongValue) checkValue(part, reader, visited, report, result);
    }
  }
  return result;
}

function fetchChecked(
  reader: NodeReader,
  hash: Uint8Array,
  what: TrieFault["what"],
  report: (fault: TrieFault) => void,
): Uint8Array | undefined {
  const bytes = reader.get(hash, NO_KEY, 0);
  if (bytes === undefined) {
    report({ kind: "missing", what, hash });
    return undefined;
  }
  if (!equalBytes(keccak256(bytes), hash)) {
    report({ kind: "corrupt", what, hash, reason: "hash does not match the stored bytes" });
    return undefined;
  }
  return bytes;
}

function decodeReporting(message: Uint8Array, hash: Uint8Array, report: (fault: TrieFault) => void): Node | undefined {
  try {
    return decodeNode(message);
  } catch (error) {
    if (!(error instanceof TrieError)) throw error;
    report({ kind: "corrupt", what: "node", hash, reason: error.message });
    return undefined;
  }
}

function checkValue(
  node: Node,
  reader: NodeReader,
  visited: HashSet,
  report: (fault: TrieFault) => void,
  result: TrieCheckResult,
): void {
  const hash = node.valueHash!;
  if (!visited.add(hash)) return;
  const value = fetchChecked(reader, hash, "value", report);
  if (value === undefined) return;
  result.values++;
  result.bytes += value.length;
  if (node.valueLength >= 0 && node.valueLength !== value.length) {
    report({ kind: "corrupt", what: "value", hash, reason: "length differs from the length in the node" });
  }
}
