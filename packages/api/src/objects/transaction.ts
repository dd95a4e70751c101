import type { TransactionLocation } from "@cambium/chain";
import { toData, toQuantity } from "@cambium/primitives";
import type { Block, Transaction } from "@cambium/types";
import { addressData } from "./format.js";

/** Transaction object (`spec/09 §6.2`); the block members are null for a pending transaction. */
export interface TransactionObject {
  hash: string;
  nonce: string;
  blockHash: string | null;
  blockNumber: string | null;
  blockTimestamp: string | null;
  transactionIndex: string | null;
  from: string;
  to: string | null;
  gas: string;
  gasPrice: string;
  value: string;
  input: string;
  v: string | null;
  r: string | null;
  s: string | null;
  type: "0x0";
}

type Position = Pick<TransactionObject, "blockHash" | "blockNumber" | "blockTimestamp" | "transactionIndex">;

const NOWHERE: Position = { blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null };

/** The transaction at `index` of a block. */
export function transactionIn({ header, transactions }: Block, index: number): TransactionLocation {
  return { header, transaction: transactions[index]!, index };
}

/**
 * Object of a mined transaction. `zeroSignature` returns the missing signature of a reward transaction as zeros,
 * because ethers cannot parse null.
 */
export function transactionObject(
  { header, transaction, index }: TransactionLocation,
  zeroSignature: boolean,
): TransactionObject {
  const position = {
    blockHash: toData(header.hash),
    blockNumber: toQuantity(header.number),
    blockTimestamp: toQuantity(header.timestamp),
    transactionIndex: toQuantity(index),
  };
  return positioned(transaction, position, zeroSignature);
}

/** Object of a transaction in the pool. */
export function pendingTransactionObject(transaction: Transaction): TransactionObject {
  return positioned(transaction, NOWHERE, true);
}

function positioned(transaction: Transaction, position: Position, zeroSignature: boolean): TransactionObject {
  return {
    hash: toData(transaction.hash),
    nonce: toQuantity(transaction.nonce),
    ...position,
    from: addressData(transaction.sender),
    to: transaction.isCreation ? null : toData(transaction.to),
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(transaction.gasPrice),
    value: toQuantity(transaction.value),
    input: toData(transaction.data),
    ...signatureMembers(transaction, zeroSignature),
    type: "0x0",
  };
}

function signatureMembers(transaction: Transaction, zeroSignature: boolean) {
  if (!transaction.isSigned && !zeroSignature) return { v: null, r: null, s: null };
  return {
    v: toQuantity(transaction.v ?? 0),
    r: toQuantity(transaction.r),
    s: toQuantity(transaction.s),
  };
}
