import type { RlpItem } from "@cambium/primitives";
import { rawList, readList, readWhole } from "../rlp.js";
import { KIB, MAX_GOSSIP_TRANSACTIONS, MAX_TRANSACTION_BYTES } from "./limits.js";

/**
 * Maximum number of transactions, more than any block has: at 21 000 gas each, they need two hundred times the present
 * gas limit.
 */
const MAX_TRANSACTIONS_OF_BLOCK = 65_536;
/** Maximum size of a gossip message with transactions, in bytes. */
export const MAX_TRANSACTIONS_BYTES = MAX_TRANSACTION_BYTES + 4 * KIB;
/** Size of the RLP prefix of such a list, in bytes. */
const LIST_PREFIX = 4;

/** Returns the RLP of each transaction in the list of a block. Throws `MALFORMED`. */
export function splitTransactions(list: Uint8Array): Uint8Array[] {
  return readTransactions(readWhole(list, "transactions"));
}

/** Like {@link splitTransactions}, for a decoded list. */
export function readTransactions(list: RlpItem): Uint8Array[] {
  return readList(list, "transactions", MAX_TRANSACTIONS_OF_BLOCK).map((item) => rawList(item, "transaction"));
}

/**
 * Divides transactions, in their order, into as few gossip messages as possible, within the limits of count and bytes.
 * Transactions that are too long for any message are omitted.
 */
export function batchTransactions(encoded: readonly Uint8Array[]): Uint8Array[][] {
  const batches: Uint8Array[][] = [];
  let bytes = 0;
  for (const transaction of encoded) {
    if (transaction.length > MAX_TRANSACTION_BYTES) continue;
    const last = batches.at(-1);
    const fits = last !== undefined && last.length < MAX_GOSSIP_TRANSACTIONS && fitsInList(bytes + transaction.length);
    if (fits) last.push(transaction);
    else batches.push([transaction]);
    bytes = (fits ? bytes : 0) + transaction.length;
  }
  return batches;
}

function fitsInList(contentBytes: number): boolean {
  return contentBytes + LIST_PREFIX <= MAX_TRANSACTIONS_BYTES;
}
