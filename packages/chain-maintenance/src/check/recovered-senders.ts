import type { NetworkConfig } from "@cambium/config";
import { decodeRlpItem } from "@cambium/primitives";
import { decodeTransactions, packKnownSenders } from "@cambium/types";

/**
 * Recovers the packed senders of a list of transactions, RLP, whatever is stored of them. Throws `TypesError` or
 * `RlpError`.
 */
export function recoveredSenders(encoded: Uint8Array, network: NetworkConfig): Uint8Array {
  const transactions = decodeTransactions(decodeRlpItem(encoded), network);
  for (const transaction of transactions) void transaction.sender;
  return packKnownSenders(transactions);
}
