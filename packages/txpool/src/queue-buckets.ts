import type { Account } from "./entry.js";

/** Accounts by how many queued transactions they have, so that those with the most are found at once. */
export class QueueBuckets {
  /** Index: number of queued transactions; none for 0. */
  private readonly buckets: Set<Account>[] = [];

  /** An account had `before` queued transactions and now has `after`. */
  move(account: Account, before: number, after: number): void {
    if (before === after) return;
    this.buckets[before]?.delete(account);
    if (after > 0) this.bucket(after).add(account);
    while (this.buckets.length > 0 && this.buckets.at(-1)!.size === 0) this.buckets.pop();
  }

  private bucket(count: number): Set<Account> {
    while (this.buckets.length <= count) this.buckets.push(new Set());
    return this.buckets[count]!;
  }

  /** An account with the most queued transactions; of several, the one that has had that many for the longest time. */
  heaviest(): Account | undefined {
    return this.buckets.at(-1)?.keys().next().value;
  }
}
