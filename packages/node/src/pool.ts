import { join } from "node:path";
import { createChainEvm } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import { steadyTime } from "@cambium/primitives";
import { DEFAULT_POOL_OPTIONS, openTransactionPool, TransactionJournal, type TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import type { NodeChain } from "./node-chain.js";
import type { NodeOptions } from "./options.js";
import { reportPool } from "./reports/pool-report.js";

/** Milliseconds between evictions of expired transactions. */
const MAINTENANCE_INTERVAL = 60_000;

/** A pool with its maintenance timer. */
export interface RunningPool {
  pool: TransactionPool;
  close(): void;
}

/** Opens the pool with the local transactions of its journal. Throws `TxPoolError`. */
export function openPool(
  chain: NodeChain,
  { dataDir, accountSlots }: Pick<NodeOptions, "dataDir" | "accountSlots">,
  isCatchingUp: () => boolean,
  logger: Logger,
): RunningPool {
  const poolParts = {
    chain,
    evm: createChainEvm(chain.network),
    now: () => steadyTime() / 1000,
    isCatchingUp,
    journal: new TransactionJournal(join(dataDir, "transactions.journal")),
    onError: (error: unknown) => logger.error({ err: error }, "Transaction pool error"),
  };
  // A development network's accounts belong to one user, and tests send as fast as they can.
  const unlimited = { rateLimit: false, accountSlots: DEFAULT_POOL_OPTIONS.maxTransactions };
  const usual = isForDevelopment(chain.network) ? unlimited : {};
  const pool = openTransactionPool(poolParts, accountSlots === undefined ? usual : { ...usual, accountSlots });
  const endReport = reportPool(pool, logger);
  const clock = setInterval(() => pool.maintain(), MAINTENANCE_INTERVAL);
  clock.unref();
  return {
    pool,
    close() {
      clearInterval(clock);
      endReport();
      pool.close();
    },
  };
}
