import { join } from "node:path";
import { createChainEvm, type ThreadedChain } from "@cambium/chain";
import { openTransactionPool, TransactionJournal, type TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";

/** Milliseconds between looks at what is too old. */
const MAINTENANCE_INTERVAL = 60_000;

/** A pool and its clock. */
export interface RunningPool {
  pool: TransactionPool;
  close(): void;
}

/** The pool over a chain, with the transactions that were handed in before the last stop. Throws `TxPoolError`. */
export function openPool(chain: ThreadedChain, dataDir: string, logger: Logger): RunningPool {
  const pool = openTransactionPool({
    chain,
    evm: createChainEvm(chain.network),
    now: () => Date.now() / 1000,
    journal: new TransactionJournal(join(dataDir, "transactions.journal")),
    onError: (error) => logger.error({ err: error }, "Trouble in the transaction pool"),
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
