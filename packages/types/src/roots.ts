import type { Rules } from "@cambium/config";
import { orderedListRoot } from "@cambium/trie";
import { reportCodecWork } from "./codec-work.js";
import type { Receipt } from "./interface.js";
import { encodeReceipt } from "./receipt.js";
import type { Transaction } from "./transaction.js";

// Tries of a block's lists, in the node format of the block's height: `spec/01 §3.5` (RSKIP-126).

/** Format of the tries' nodes. */
export function rootFormat(rules: Rules): "new" | "old" {
  return rules.rskip126 ? "new" : "old";
}

export function transactionsRoot(transactions: readonly Transaction[], rules: Rules): Uint8Array {
  const items = transactions.map((transaction) => transaction.encoded);
  return rawTransactionsRoot(items, rules);
}

/** Root of transactions from their received RLP; differs if one of them is not canonical. */
export function rawTransactionsRoot(items: readonly Uint8Array[], rules: Rules): Uint8Array {
  reportCodecWork("transactionsRoot");
  return orderedListRoot(items, rootFormat(rules));
}

export function receiptsRoot(receipts: readonly Receipt[], rules: Rules): Uint8Array {
  return encodedReceiptsRoot(receipts.map(encodeReceipt), rules);
}

/** Root of receipts from the results of `encodeReceipt`. */
export function encodedReceiptsRoot(receipts: readonly Uint8Array[], rules: Rules): Uint8Array {
  return orderedListRoot(receipts, rootFormat(rules));
}
