import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { concatBytes, equalBytes, utf8 } from "@cambium/primitives";
import { Transaction } from "./transaction.js";
import { fieldsOf, type TransactionRequest } from "./transaction-building.js";

// Markers in place of signatures. On development networks, tools send transactions for accounts without their keys. The
// marker contains the sender, so that the transaction has its hash, and blocks with it can be exported and imported. On
// any other network the same bytes are an ordinary signature, from which some unrelated key is recovered, or none.

/** r of a marker: these 12 bytes, then the sender. */
const PREFIX = utf8("impersonated");
/** s of a marker. */
const MARK = utf8("cambium: no key signed this");

/** Builds a transaction of an account whose key is unknown, for development networks. */
export function impersonatedTransaction(
  request: TransactionRequest & { chainId: number },
  sender: Uint8Array,
): Transaction {
  const signature = { chainId: request.chainId, recovery: 0 as const, r: concatBytes(PREFIX, sender), s: MARK };
  const transaction = new Transaction({ ...fieldsOf(request), signature });
  transaction.setSender(sender);
  return transaction;
}

/** Sets the sender of each transaction that has a marker, on development networks only. Returns the transactions. */
export function recogniseImpersonated<T extends readonly Transaction[]>(transactions: T, network: NetworkConfig): T {
  if (!isForDevelopment(network)) return transactions;
  for (const transaction of transactions) {
    const sender = markedSender(transaction, network.chainId);
    if (sender !== undefined) transaction.setSender(sender);
  }
  return transactions;
}

function markedSender({ signature }: Transaction, chainId: number): Uint8Array | undefined {
  if (signature === null || signature.chainId !== chainId || signature.recovery !== 0) return undefined;
  const { r, s } = signature;
  const isMarked = r.length === PREFIX.length + 20 && equalBytes(r.subarray(0, PREFIX.length), PREFIX);
  return isMarked && equalBytes(s, MARK) ? r.slice(PREFIX.length) : undefined;
}
