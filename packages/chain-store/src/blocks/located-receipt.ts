import type { Receipt } from "@cambium/types";

/** A receipt in its block. */
export interface LocatedReceipt {
  receipt: Receipt;
  /** Index in the block of the receipt's first log: the number of logs of the transactions before. */
  firstLog: number;
}

/** Locates all receipts of a block. */
export function locatedReceipts(receipts: readonly Receipt[]): LocatedReceipt[] {
  let firstLog = 0;
  return receipts.map((receipt) => {
    const located = { receipt, firstLog };
    firstLog += receipt.logs.length;
    return located;
  });
}
