import { join } from "node:path";
import { createChainEvm, type ThreadedChain } from "@cambium/chain";
import { steadyTime } from "@cambium/primitives";
import { openTransactionPool, TransactionJournal, type TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";

/** Milliseconds between evictions of expired transactions. */
const MAINTENANCE_INTERVAL = 60_000;

/** A pool with its maintenance timer. */
export interface RunningPool {
  pool: TransactionPool;
  close(): void;
}

/** Opens the pool with the local transactions of its journal. Throws `TxPoolError`. */
export function openPool(chain: ThreadedChain, dataDir: string, logger: Logger): RunningPool {
  const pool = openTransactionPool({
    chain,
    evm: createChainEvm(chain.network),
    now: () => steadyTime() / 1000,
    journal: new TransactionJournal(join(dataDir, "transactions.journal")),
    onError: (error) => logger.error({ err: error }, "Transaction pool error"),
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
