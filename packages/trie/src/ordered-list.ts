import { encodeRlp, numberToBytes } from "@cambium/primitives";
import { Trie } from "./trie.js";

/** Node format of a root: `new` from RSKIP-126, `old` before (`spec/01 §3.5`). */
export type TrieFormat = "new" | "old";

const keys: Uint8Array[] = [];

/** Returns the key of item `index`: its RLP encoding as a number. */
function indexKey(index: number): Uint8Array {
  for (let i = keys.length; i <= index; i++) keys.push(encodeRlp(numberToBytes(i)));
  return keys[index]!;
}

function orderedListTrie(items: readonly Uint8Array[]): Trie {
  const trie = new Trie();
  for (let i = 0; i < items.length; i++) trie.put(indexKey(i), items[i]!);
  return trie;
}

/** Returns the root of a block's encoded transactions or receipts in order; the secure flag is off (`spec/01 §3.5`). */
export function orderedListRoot(items: readonly Uint8Array[], format: TrieFormat): Uint8Array {
  const trie = orderedListTrie(items);
  return format === "new" ? trie.hash() : trie.oldHash(false);
}

/**
 * Returns nodes that prove item `index`, deepest first, in the new format (`spec/01 §3.6`); null if there is no such
 * item.
 */
export function orderedListProof(items: readonly Uint8Array[], index: number): Uint8Array[] | null {
  if (index < 0 || index >= items.length) return null;
  return orderedListTrie(items).proof(indexKey(index));
}
