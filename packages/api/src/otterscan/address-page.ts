import type { ChainReader } from "@cambium/chain";
import { toQuantity } from "@cambium/primitives";
import type { ApiConfig } from "../config.js";
import type { WorkLimit } from "../limits/deadline.js";
import { requireReceipt } from "../lookups/block-lookup.js";
import { type ReceiptObject, receiptObject } from "../objects/receipt.js";
import { type TransactionObject, transactionIn, transactionObject } from "../objects/transaction.js";
import { AddressSearch, type AddressSearchRequest } from "./address-search.js";

/** Transactions of an account from new to old, with their receipts. */
export interface AddressPage {
  txs: TransactionObject[];
  /** `timestamp` is a JSON number of seconds since 1970. */
  receipts: (ReceiptObject & { timestamp: number })[];
  /** Whether the page has the newest transaction. */
  firstPage: boolean;
  /** Whether the page has the oldest transaction. */
  lastPage: boolean;
  /** Blocks that were executed only if they changed the nonce or the balance of the account. */
  unexecuted?: { fromBlock: string; toBlock: string };
}

/** Searches a page. Throws as {@link AddressSearch.run} does. */
export function addressPage(
  chain: ChainReader,
  config: ApiConfig,
  request: AddressSearchRequest,
  limit: WorkLimit,
): AddressPage {
  const { number, direction, headHash } = request;
  const { transactions, isEnd, byChanges } = new AddressSearch(chain, request, limit).run();
  if (direction === "after") transactions.reverse();
  const startsAtHead = number === 0 || number > chain.headerByHash(headHash)!.number;
  return {
    txs: transactions.map(({ block, index }) =>
      transactionObject(transactionIn(block, index), config.zeroSignatureIfRemasc),
    ),
    receipts: transactions.map(({ block, index }) => ({
      ...receiptObject(transactionIn(block, index), requireReceipt(chain, block.hash, index)),
      timestamp: Number(block.header.timestamp),
    })),
    firstPage: direction === "before" ? startsAtHead : isEnd,
    lastPage: direction === "before" ? isEnd : number === 0,
    ...(byChanges === undefined ? {} : { unexecuted: rangeObject(byChanges) }),
  };
}

function rangeObject([one, other]: readonly [number, number]) {
  return { fromBlock: toQuantity(Math.min(one, other)), toBlock: toQuantity(Math.max(one, other)) };
}
