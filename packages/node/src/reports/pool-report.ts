import { LimitedLines, toData } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";
import type { Logger } from "pino";

const LIMIT = { lines: 20, window: 8_000 };
/** Maximum number of hashes in one line. */
const MAX_HASHES = 20;

/**
 * Logs the transactions that were sent to this node, and their fate if they are not mined. Returns a function that ends
 * the report.
 */
export function reportPool(pool: TransactionPool, logger: Logger): () => void {
  const lines = new LimitedLines(LIMIT, (count) => logger.info({ transactions: count }, "More transactions received"));
  const slowLines = new LimitedLines(LIMIT, (count) =>
    logger.warn({ count }, "Evicted more transactions that are too slow"),
  );
  const stop = pool.on((event) => {
    if (event.kind === "newPending" && event.cause === "local" && logger.isLevelEnabled("info")) {
      for (const { hash, sender, nonce } of event.transactions) {
        if (!lines.admit()) continue;
        const from = sender === undefined ? undefined : toData(sender);
        logger.info({ hash: toData(hash), from, nonce: String(nonce) }, "Transaction received");
      }
    }
    if (event.kind === "evicted" && event.reason === "slow") {
      for (const transaction of event.transactions) if (slowLines.admit()) reportSlow(transaction, logger);
    }
    if (event.kind !== "expired") return;
    const hashes = event.transactions.slice(0, MAX_HASHES).map(({ hash }) => toData(hash));
    logger.warn({ count: event.transactions.length, hashes }, "Dropped local transactions that were not mined in time");
  });
  return () => {
    stop();
    lines.stop();
    slowLines.stop();
  };
}

function reportSlow({ hash, sender, to, gasLimit }: Transaction, logger: Logger): void {
  const from = sender === undefined ? undefined : toData(sender);
  const fields = { hash: toData(hash), from, to: toData(to), gasLimit: String(gasLimit) };
  logger.warn(fields, "Evicted a transaction that takes too long to execute; its sender is refused for some time");
}
