import { toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";

/**
 * Orders transactions by their gas limits, which bound the time that each can take. Transactions of one sender, and
 * those with equal gas limits, keep their order.
 */
export function cheapestFirst(transactions: readonly Transaction[]): Transaction[] {
  const highest = new Map<string, bigint>();
  const ranked = transactions.map((transaction) => {
    const sender = transaction.sender === undefined ? "" : toHex(transaction.sender);
    const { gasLimit } = transaction;
    const before = highest.get(sender) ?? 0n;
    const rank = gasLimit > before ? gasLimit : before;
    highest.set(sender, rank);
    return { transaction, rank };
  });
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  return ranked.map(({ transaction }) => transaction);
}
