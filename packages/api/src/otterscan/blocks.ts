import { type ChainReader, locatedReceipts } from "@cambium/chain";
import { toQuantity } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import type { ApiConfig } from "../config.js";
import { requireReceipts } from "../lookups/block-lookup.js";
import { blockObject } from "../objects/block.js";
import { type ReceiptObject, receiptObject } from "../objects/receipt.js";
import { type TransactionObject, transactionIn } from "../objects/transaction.js";

/** Length of a method selector in hex, with the prefix. */
const SELECTOR_DIGITS = 10;

interface BlockParts {
  chain: ChainReader;
  config: ApiConfig;
}

/** A block without its transactions and bloom filter. The chain issues no coins: fees are the rewards. */
export function blockDetails(parts: BlockParts, block: Block) {
  const { transactions: _, ...members } = blockObject(parts, block, false);
  return {
    block: { ...members, logsBloom: null, transactionCount: block.transactions.length },
    issuance: { blockReward: "0x0", uncleReward: "0x0", issuance: "0x0" },
    totalFees: toQuantity(block.header.paidFees),
  };
}

/** Page 0 ends with the last transaction of the block, and each further page before the one ahead of it. */
export function blockTransactions(parts: BlockParts, block: Block, page: number, pageSize: number) {
  const { transactions, ...members } = blockObject(parts, block, true);
  const end = Math.max(transactions.length - page * pageSize, 0);
  const start = Math.max(end - pageSize, 0);
  const receipts = transactions.length === 0 ? [] : locatedReceipts(requireReceipts(parts.chain, block.hash));
  return {
    fullblock: {
      ...members,
      logsBloom: null,
      transactionCount: transactions.length,
      transactions: (transactions as TransactionObject[]).slice(start, end).map(withSelectorOnly),
    },
    receipts: receipts
      .slice(start, end)
      .map((located, i) => withoutLogs(receiptObject(transactionIn(block, start + i), located))),
  };
}

function withSelectorOnly(transaction: TransactionObject): TransactionObject {
  return { ...transaction, input: transaction.input.slice(0, SELECTOR_DIGITS) };
}

function withoutLogs(receipt: ReceiptObject) {
  return { ...receipt, logs: null, logsBloom: null };
}
