import { counter } from "@cambium/primitives";

const change = (event: string) =>
  counter("cambium_pool_changes_total", "Transactions that the pool added, removed for any reason, or refused", {
    event,
  });

export const ADDED = change("added");
/** Counter of transactions that were mined, replaced, expired, evicted or displaced. */
export const REMOVED = change("removed");
export const REFUSED = change("refused");

export const SLOW = counter(
  "cambium_pool_slow_total",
  "Transactions that were evicted because their execution took too long",
);
