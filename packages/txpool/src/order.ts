import { toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import { Heap } from "./heap.js";

/** The properties that determine a transaction's position. */
export interface Orderable {
  readonly transaction: Transaction;
  /** Admission counter; orders equal prices of different senders, before the hash. */
  readonly arrival: number;
}

/**
 * Returns the order of execution (`spec/08 §8`): among the senders' next transactions, the highest price first. Each
 * group holds the transactions of one sender by ascending nonce.
 */
export function orderForBlock<T extends Orderable>(groups: Iterable<readonly T[]>): T[] {
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

/** Orders by price descending, then arrival, then hash. */
function byPrice(a: Orderable, b: Orderable): number {
  const [one, other] = [a.transaction.gasPrice, b.transaction.gasPrice];
  if (one !== other) return one > other ? -1 : 1;
  if (a.arrival !== b.arrival) return a.arrival - b.arrival;
  return toHex(a.transaction.hash) < toHex(b.transaction.hash) ? -1 : 1;
}
