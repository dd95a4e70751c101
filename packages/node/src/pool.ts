import { join } from "node:path";
import { createChainEvm, type ThreadedChain } from "@cambium/chain";
import { steadyTime, toData } from "@cambium/primitives";
import { openTransactionPool, TransactionJournal, type TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";

/** Milliseconds between evictions of expired transactions. */
const MAINTENANCE_INTERVAL = 60_000;

/** Hashes in one line of the log. */
const MAX_LOGGED = 20;

/** A pool with its maintenance timer. */
export interface RunningPool {
  pool: TransactionPool;
  close(): void;
}

/** Opens the pool with the local transactions of its journal. Throws `TxPoolError`. */
export function openPool(
  chain: ThreadedChain,
  dataDir: string,
  isCatchingUp: () => boolean,
  logger: Logger,
): RunningPool {
  const pool = openTransactionPool({
    chain,
    evm: createChainEvm(chain.network),
    now: () => steadyTime() / 1000,
    isCatchingUp,
    journal: new TransactionJournal(join(dataDir, "transactions.journal")),
    onError: (error) => logger.error({ err: error }, "Transaction pool error"),
  });
  pool.on((event) => {
    if (event.kind !== "expired") return;
    const hashes = event.transactions.slice(0, MAX_LOGGED).map(({ hash }) => toData(hash));
    logger.warn({ count: event.transactions.length, hashes }, "Dropped local transactions that were not mined in time");
  });
  const clock = setInterval(() => pool.maintain(), MAINTENANCE_INTERVAL);
  clock.unref();
  return {
    pool,
    close() {
      clearInterval(clock);
      pool.close();
    },
  };
}
