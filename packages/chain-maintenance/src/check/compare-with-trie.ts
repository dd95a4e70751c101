import { hashInReference, lengthInReference, TABLES } from "@cambium/chain-store";
import type { Database } from "@cambium/database";
import { equalBytes, keccak256 } from "@cambium/primitives";
import { isCodeKey } from "@cambium/state";
import { type NodeReader, type StoredEntry, storedEntries } from "@cambium/trie";

/** A value of a trie; a long one by its hash. */
export type TrieValue = Extract<StoredEntry, { kind: "value" }>;
/** Gap in a trie with missing nodes: the values of some keys are unknown. */
export type TrieGap = Extract<StoredEntry, { kind: "gap" }>;

/** Entries of the flat table and a trie for one key. */
export interface ComparedKey {
  kind: "key";
  key: Uint8Array;
  /** The encoded record; undefined if there is none. */
  stored: Uint8Array | undefined;
  /** Undefined if the trie has no value, or if that is not known: `isInGap`. */
  value: TrieValue | undefined;
  isInGap: boolean;
}

/**
 * Goes through the flat table and a trie whose nodes are stored under their places, in their common order of keys.
 * Visits each entry once, and keeps nothing in memory.
 */
export async function* compareWithTrie(
  database: Database,
  nodes: NodeReader,
  root: Uint8Array,
): AsyncGenerator<ComparedKey | TrieGap> {
  const trie = storedEntries(nodes, root);
  const advance = (): StoredEntry | undefined => trie.next().value ?? undefined;
  let next = advance();
  let gap: TrieGap | undefined;
  for await (const { key, value: stored } of database.entries(TABLES.flatState)) {
    for (; next !== undefined && (next.kind === "gap" || Buffer.compare(next.key, key) < 0); next = advance()) {
      if (next.kind === "value") yield { kind: "key", key: next.key, stored: undefined, value: next, isInGap: false };
      else {
        // The keys in a gap may extend beyond this one.
        if (!begins(key, next) && Buffer.compare(next.prefix, key) > 0) break;
        yield next;
        gap = next;
      }
    }
    const value = next?.kind === "value" && equalBytes(next.key, key) ? next : undefined;
    const isInGap = value === undefined && gap !== undefined && begins(key, gap);
    yield { kind: "key", key, stored, value, isInGap };
    if (value !== undefined) next = advance();
  }
  for (; next !== undefined; next = advance()) {
    if (next.kind === "gap") yield next;
    else yield { kind: "key", key: next.key, stored: undefined, value: next, isInGap: false };
  }
}

/** Whether a value of the trie matches the one in the tables. */
export function isSameValue({ key, value, hash, length }: TrieValue, stored: Uint8Array): boolean {
  if (!isCodeKey(key)) return value === undefined ? equalBytes(keccak256(stored), hash!) : equalBytes(value, stored);
  return lengthInReference(stored) === length && equalBytes(hashInReference(stored), hash ?? keccak256(value!));
}

/** Whether a key is in a gap, so that the trie tells nothing about it. */
function begins(key: Uint8Array, { prefix, bits }: TrieGap): boolean {
  if (key.length * 8 < bits) return false;
  const whole = bits >> 3;
  if (!equalBytes(key.subarray(0, whole), prefix.subarray(0, whole))) return false;
  const mask = 0xff00 >> (bits & 7);
  return (((key[whole] ?? 0) ^ (prefix[whole] ?? 0)) & mask & 0xff) === 0;
}
