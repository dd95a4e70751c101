import { LimitedLines, toData } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";

const LIMIT = { lines: 20, window: 8_000 };
/** Hashes in one line. */
const MAX_HASHES = 20;

/** Logs the transactions that were sent to this node, and what becomes of them if they are not mined. Returns a function that ends this. */
export function reportPool(pool: TransactionPool, logger: Logger): () => void {
  const lines = new LimitedLines(LIMIT, (count) => logger.info({ transactions: count }, "More transactions received"));
  const stop = pool.on((event) => {
    if (event.kind === "newPending" && event.cause === "local" && logger.isLevelEnabled("info")) {
      for (const { hash, sender, nonce } of event.transactions) {
        if (!lines.admit()) continue;
        const from = sender === undefined ? undefined : toData(sender);
        logger.info({ hash: toData(hash), from, nonce: String(nonce) }, "Transaction received");
      }
    }
    if (event.kind !== "expired") return;
    const hashes = event.transactions.slice(0, MAX_HASHES).map(({ hash }) => toData(hash));
    logger.warn({ count: event.transactions.length, hashes }, "Dropped local transactions that were not mined in time");
  });
  return () => {
    stop();
    lines.stop();
  };
}
