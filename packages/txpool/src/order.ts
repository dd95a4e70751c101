import { toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import { Heap } from "./heap.js";

/** The properties that determine a transaction's position. */
export interface Orderable {
  readonly transaction: Transaction;
  readonly sender: Uint8Array;
  /** Orders equal prices of different senders, before the hash. */
  readonly arrival: number;
}

/**
 * Order of execution (`spec/08 §8`): each sender's transactions by nonce, and among the senders' next transactions the
 * highest price first. All nonces are canonical.
 */
export function orderForBlock<T extends Orderable>(entries: Iterable<T>): T[] {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = toHex(entry.sender);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  for (const group of groups.values()) group.sort(bySequence);
  return mergeGroups(groups.values());
}

/** Merges groups, each of one sender in nonce order. */
export function mergeGroups<T extends Orderable>(groups: Iterable<readonly T[]>): T[] {
  const heads = new Heap<Head<T>>((a, b) => byPrice(a.entry, b.entry));
  for (const group of groups) if (group.length > 0) heads.push({ entry: group[0]!, group, index: 0 });
  const ordered: T[] = [];
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    const { entry, group, index } = head;
    ordered.push(entry);
    if (index + 1 < group.length) heads.push({ entry: group[index + 1]!, group, index: index + 1 });
  }
  return ordered;
}

interface Head<T> {
  entry: T;
  group: readonly T[];
  index: number;
}

/** Nonce, then price descending, then hash from its last byte to its first. */
function bySequence(a: Orderable, b: Orderable): number {
  const [one, other] = [a.transaction, b.transaction];
  if (one.nonce !== other.nonce) return one.nonce < other.nonce ? -1 : 1;
  if (one.gasPrice !== other.gasPrice) return one.gasPrice > other.gasPrice ? -1 : 1;
  for (let i = one.hash.length - 1; i >= 0; i--) {
    if (one.hash[i] !== other.hash[i]) return one.hash[i]! - other.hash[i]!;
  }
  return 0;
}

/** Price descending, then arrival, then hash. */
function byPrice(a: Orderable, b: Orderable): number {
  const [one, other] = [a.transaction.gasPrice, b.transaction.gasPrice];
  if (one !== other) return one > other ? -1 : 1;
  if (a.arrival !== b.arrival) return a.arrival - b.arrival;
  return toHex(a.transaction.hash) < toHex(b.transaction.hash) ? -1 : 1;
}
