import { decimal, integer, type RpcObject } from "./rows.js";
import type { Row } from "./schema.js";

/** Returns a row of `pool_events`; `transaction` is null if the node no longer knows it. */
export function poolRow(seenAt: number, hash: string, transaction: RpcObject): Row {
  const found = (member: string, read: (quantity: string) => string | number) =>
    transaction === null ? null : read(transaction[member]);
  return {
    seen_at: seenAt,
    transaction_hash: hash,
    from_address: transaction?.from ?? null,
    to_address: transaction?.to ?? null,
    nonce: found("nonce", integer),
    value: found("value", decimal),
    gas_limit: found("gas", integer),
    gas_price: found("gasPrice", decimal),
    input: transaction?.input ?? null,
  };
}
