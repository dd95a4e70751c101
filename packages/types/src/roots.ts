import type { Rules } from "@cambium/config";
import { orderedListRoot } from "@cambium/trie";
import type { Receipt } from "./interface.js";
import { encodeReceipt } from "./receipt.js";
import type { Transaction } from "./transaction.js";

// Tries of a block's lists, in the node format of the block's height: `spec/01 §3.5` (RSKIP-126).

export function transactionsRoot(transactions: readonly Transaction[], rules: Rules): Uint8Array {
  const items = transactions.map((transaction) => transaction.encoded);
  return orderedListRoot(items, rules.rskip126 ? "new" : "old");
}

export function receiptsRoot(receipts: readonly Receipt[], rules: Rules): Uint8Array {
  return orderedListRoot(receipts.map(encodeReceipt), rules.rskip126 ? "new" : "old");
}
