import type { PooledAccount } from "./entry.js";

/** Accounts by their number of queued transactions, for constant-time access to the one with the most. */
export class QueueBuckets {
  /** Accounts, indexed by the number of queued transactions; accounts without any are not stored. */
  private readonly buckets: Set<PooledAccount>[] = [];

  /** Moves an account from `before` queued transactions to `after`. */
  move(account: PooledAccount, before: number, after: number): void {
    if (before === after) return;
    this.buckets[before]?.delete(account);
    if (after > 0) this.bucket(after).add(account);
    while (this.buckets.length > 0 && this.buckets.at(-1)!.size === 0) this.buckets.pop();
  }

  private bucket(count: number): Set<PooledAccount> {
    while (this.buckets.length <= count) this.buckets.push(new Set());
    return this.buckets[count]!;
  }

  /** Returns the account with the most queued transactions; on a tie, the one that reached that number first. */
  heaviest(): PooledAccount | undefined {
    return this.buckets.at(-1)?.keys().next().value;
  }
}
