import type { LocatedReceipt, TransactionLocation } from "@cambium/chain";
import { toData, toQuantity } from "@cambium/primitives";
import { addressData } from "./format.js";
import { type LogObject, logObject } from "./log.js";

/** Receipt object (`spec/09 §6.3`); this chain has no `root`. */
export interface ReceiptObject {
  transactionHash: string;
  transactionIndex: string;
  blockHash: string;
  blockNumber: string;
  cumulativeGasUsed: string;
  gasUsed: string;
  contractAddress: string | null;
  logs: LogObject[];
  from: string;
  to: string | null;
  status: "0x0" | "0x1";
  logsBloom: string;
  type: "0x0";
  effectiveGasPrice: string;
}

/** Describes the receipt of a transaction. */
export function receiptObject(
  { header, transaction, index }: TransactionLocation,
  { receipt, firstLog }: LocatedReceipt,
): ReceiptObject {
  const position = {
    blockNumber: toQuantity(header.number),
    blockHash: toData(header.hash),
    blockTimestamp: toQuantity(header.timestamp),
    transactionHash: toData(transaction.hash),
    transactionIndex: toQuantity(index),
  };
  return {
    transactionHash: position.transactionHash,
    transactionIndex: position.transactionIndex,
    blockHash: position.blockHash,
    blockNumber: position.blockNumber,
    cumulativeGasUsed: toQuantity(receipt.cumulativeGas),
    gasUsed: toQuantity(receipt.gasUsed),
    // Present even if the creation failed (`spec/09 §17`, 12).
    contractAddress: transaction.isCreation ? addressData(transaction.createdAddress) : null,
    logs: receipt.logs.map((log, i) => logObject(log, position, firstLog + i)),
    from: addressData(transaction.sender),
    to: transaction.isCreation ? null : toData(transaction.to),
    status: receipt.status === 1 ? "0x1" : "0x0",
    logsBloom: toData(receipt.logsBloom),
    type: "0x0",
    effectiveGasPrice: toQuantity(transaction.gasPrice),
  };
}
