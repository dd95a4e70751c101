import type { RlpItem } from "@cambium/primitives";
import { type BlockHeader, bloomTest, decodeReceipt, type Log, summariseReceipt, Transaction } from "@cambium/types";
import type { ChainStore } from "../blocks/chain-store.js";
import { ChainError } from "../errors.js";
import type { LogLocation, LogQuery } from "../interface.js";
import { logMatcher } from "./log-index.js";

/** Whether a bloom filter passes. */
type BloomTest = (bloom: Uint8Array) => boolean;

/**
 * Finds the matching logs of blocks. Few receipts of a block have any. Bloom filters exclude the others, so that they
 * are not decoded. Only transactions with matching logs are read.
 */
export class LogSearch {
  private readonly matches: (log: Log) => boolean;
  /** One of each list must pass. */
  private readonly tests: readonly (readonly BloomTest[])[];

  constructor(
    private readonly store: Pick<ChainStore, "encodedReceipts" | "encodedTransactions">,
    query: LogQuery,
  ) {
    this.matches = logMatcher(query);
    const alternatives = [query.addresses ?? [], ...(query.topics ?? []).map((topic) => topic ?? [])];
    this.tests = alternatives.filter((list) => list.length > 0).map((list) => list.map(bloomTest));
  }

  /** Whether a block or receipt with this bloom filter may have matching logs. */
  mayMatch(bloom: Uint8Array): boolean {
    return this.tests.every((tests) => tests.some((test) => test(bloom)));
  }

  /** Matching logs of a block, in order; none if its receipts are unknown. */
  logsOf({ hash, number, timestamp }: BlockHeader): LogLocation[] {
    const receipts = this.store.encodedReceipts(hash) ?? [];
    const found: LogLocation[] = [];
    let transactions: readonly RlpItem[] | undefined;
    let firstLog = 0;
    for (const [transactionIndex, receipt] of receipts.entries()) {
      const { logsBloom, logCount } = summariseReceipt(receipt);
      const indexes = logCount > 0 && this.mayMatch(logsBloom) ? this.matchingLogs(receipt) : [];
      if (indexes.length > 0) {
        transactions ??= this.store.encodedTransactions(hash) ?? [];
        const transactionHash = hashOf(transactions, transactionIndex, hash);
        const at = {
          blockHash: hash,
          blockNumber: number,
          blockTimestamp: timestamp,
          transactionHash,
          transactionIndex,
        };
        for (const [index, log] of indexes) found.push({ log, ...at, logIndex: firstLog + index });
      }
      firstLog += logCount;
    }
    return found;
  }

  private matchingLogs(receipt: RlpItem): [index: number, log: Log][] {
    return [...decodeReceipt(receipt.raw).logs.entries()].filter(([, log]) => this.matches(log));
  }
}

function hashOf(transactions: readonly RlpItem[], index: number, blockHash: Uint8Array): Uint8Array {
  const item = transactions[index];
  if (item === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "transactions", key: blockHash });
  return Transaction.decode(item, index === transactions.length - 1).hash;
}
