import { join } from "node:path";
import { createChainEvm } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import { steadyTime, toData } from "@cambium/primitives";
import { openTransactionPool, TransactionJournal, type TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import type { NodeChain } from "./node-chain.js";

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
export function openPool(chain: NodeChain, dataDir: string, isCatchingUp: () => boolean, logger: Logger): RunningPool {
  const modules = {
    chain,
    evm: createChainEvm(chain.network),
    now: () => steadyTime() / 1000,
    isCatchingUp,
    journal: new TransactionJournal(join(dataDir, "transactions.journal")),
    onError: (error: unknown) => logger.error({ err: error }, "Transaction pool error"),
  };
  // The accounts of a development network are one's own, and tests send as fast as they can.
  const pool = openTransactionPool(modules, { rateLimit: !isForDevelopment(chain.network) });
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
