import { databasePath } from "@cambium/database";
import type { LocalMinerApi } from "@cambium/miner";
import type { ServedChain } from "@cambium/rpc";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import { createExecutor } from "./executor.js";
import type { Health } from "./health.js";
import type { Metrics } from "./metrics.js";
import { type BuilderOptions, createMining, createPendingReads, pendingGasLimit } from "./mining.js";
import { type NodeChain, type NodeChainOptions, openNodeChain, type RunningChain } from "./node-chain.js";
import type { Parts } from "./parts.js";
import type { Peers } from "./peers.js";
import { openPool } from "./pool.js";
import type { Replication } from "./replication.js";
import { reportChain } from "./reports/chain-report.js";

/** A chain, and the parts that depend on it. */
export interface OpenChain {
  chain: NodeChain;
  pool: TransactionPool;
  /** The built-in miner, on development networks only. */
  localMiner: LocalMinerApi | undefined;
  served: ServedChain;
  /** Parts to stop. */
  parts: Parts;
  /** Starts the block producers. */
  startMining(): Promise<void>;
  /** Whether the node downloads the chain. */
  isFarBehind: () => boolean;
  /** Changes the target for the minimum gas price of further blocks, in wei. */
  setMinimumGasPrice(price: bigint): void;
  /** Resolves with the error if the chain can import no more blocks. Never rejects. */
  failed: Promise<Error>;
}

/** Parts of the node that a chain is connected to. */
export interface Surroundings {
  peers: Peers | undefined;
  metrics: Metrics | undefined;
  health: Health | undefined;
  replication: Replication | undefined;
  logger: Logger;
}

/**
 * Opens the chain in an open database and everything that depends on it. `parts` stops the opened parts, also after a
 * failure. `opening` is the chain if it is being opened already.
 */
export async function openChain(
  options: NodeChainOptions & BuilderOptions,
  around: Surroundings,
  parts: Parts,
  opening?: Promise<RunningChain>,
): Promise<OpenChain> {
  const { peers, metrics, health, replication, logger } = around;
  const chainLogger = logger.child({ package: "chain" });
  const { chain, failed, hasFailed, fail } = await (opening ?? openNodeChain(options, chainLogger, replication?.log));
  void failed.then((error) => health?.fails(error));
  parts.add(() => chain.close());
  const { pool, close } = openPool(
    chain,
    options,
    () => peers?.isCatchingUp() ?? false,
    logger.child({ package: "txpool" }),
  );
  parts.add(close);
  metrics?.addPool(pool);
  const engine = peers?.attachChain({ chain, pool, onFailure: fail });
  if (peers !== undefined) parts.add(() => peers.stopSync());
  parts.add(reportChain(chain, () => (engine?.status() ?? false) !== false, chainLogger));
  const minerLogger = logger.child({ package: "miner" });
  const isFarBehind = () => engine?.isFarBehind() ?? false;
  const mining = createMining(options, chain, pool, minerLogger, isFarBehind);
  parts.add(() => mining.stop());
  const heavy = createExecutor(options, chain, databasePath(options.dataDir));
  parts.add(() => heavy.close());
  const pending = createPendingReads(options, chain, pool, mining.local, minerLogger);
  parts.add(() => pending.close());
  const served: ServedChain = {
    chain,
    hasFailed,
    events: chain,
    pool,
    miner: mining.server,
    localMiner: mining.local,
    pendingBlock: () => pending.block(),
    pendingGasLimit: () => pendingGasLimit(chain, mining.local?.next.gasLimit ?? options.mining.gasLimit),
    pendingState: pending,
    heavy,
    sync: engine,
  };
  const setMinimumGasPrice = (price: bigint) => {
    mining.setMinimumGasPrice(price);
    pending.setMinimumGasPrice(price);
  };
  const startMining = () => mining.start();
  return { chain, pool, localMiner: mining.local, served, parts, startMining, isFarBehind, setMinimumGasPrice, failed };
}
