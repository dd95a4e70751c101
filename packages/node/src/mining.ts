import { databasePath, type ThreadedChain } from "@cambium/chain";
import { isForDevelopment, isLocal, type NetworkConfig } from "@cambium/config";
import {
  LocalMiner,
  MinerServer,
  nextGasLimit,
  rewardAddress,
  TimeAdjustment,
  type TransactionFault,
} from "@cambium/miner";
import { toHex } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import { BuildingClient, type BuildingClientOptions } from "./building/building-client.js";
import { PendingReads } from "./building/pending-reads.js";
import { ThreadedBuilder } from "./building/threaded-builder.js";
import { NodeError } from "./errors.js";
import type { NodeOptions } from "./options.js";

/** Target of block gas limits on a local network, and elsewhere (`spec/02 §1.1`). */
const LOCAL_GAS_LIMIT = 7_500_000n;
const GAS_LIMIT = 6_800_000n;

/**
 * Milliseconds for the transactions of the pending block. It is built in a thread of its own, which may have just started:
 * only the requests that read it wait for it.
 */
const PENDING_BLOCK_TIME_BUDGET = 1000;
/** State nodes that a building thread caches. */
const NODE_CACHE_CAPACITY = 50_000;

/** The block producers; both are undefined on a node of a public network that does not mine. */
export interface Mining {
  server: MinerServer | undefined;
  /** On development networks only. */
  local: LocalMiner | undefined;
  /**
   * Resolves after the first block template is built, or has failed to build. Rejects if the thread that builds cannot open
   * the database.
   */
  start(): Promise<void>;
  /** Resolves after the block in progress. */
  stop(): Promise<void>;
}

/** Creates the block producers. Throws {@link NodeError} `LOCAL_MINING_REFUSED`, or `MinerError` `OPTION` for an invalid reward address. */
export function createMining(
  options: NodeOptions,
  chain: ThreadedChain,
  pool: TransactionPool,
  logger: Logger,
  isSyncing: () => boolean,
): Mining {
  const { network, mining } = options;
  const development = isForDevelopment(network);
  if (!development && mining.local.kind !== "on-demand") {
    throw new NodeError({ code: "LOCAL_MINING_REFUSED", network: network.name });
  }
  const mines = mining.server || development;
  const client = mines ? new BuildingClient(miningThread(options, logger)) : undefined;
  const parts = client && {
    chain,
    builder: createBuilder(client, chain, pool, logger),
    adjustment: new TimeAdjustment(),
  };
  const server =
    parts && mining.server
      ? new MinerServer({
          ...parts,
          isSyncing,
          onBuildError: (error) => logger.error({ err: error }, "Failed to build a block template"),
        })
      : undefined;
  const local =
    parts && development
      ? new LocalMiner(
          {
            ...parts,
            pool,
            onMiningError: (error) => logger.error({ err: error }, "Failed to mine a block"),
          },
          mining.local,
        )
      : undefined;
  return connectToPool({ server, local, client }, pool, mining.local.kind !== "on-demand");
}

interface MiningParts extends Pick<Mining, "server" | "local"> {
  client: BuildingClient | undefined;
}

function connectToPool(
  { server, local, client }: MiningParts,
  pool: TransactionPool,
  startsLocalMiner: boolean,
): Mining {
  const stopListening = pool.on(({ kind }) => {
    if (kind !== "newPending") return;
    server?.transactionsChanged();
    local?.transactionsChanged();
  });
  return {
    server,
    local,
    async start() {
      await client?.open();
      await server?.start();
      if (startsLocalMiner) local?.startMining();
    },
    async stop() {
      stopListening();
      server?.stop();
      local?.stopMining();
      await local?.idle();
      await client?.close();
    },
  };
}

/**
 * After a failure of the thread the first template is without transactions, so that there is work even if one of them is
 * the cause.
 */
function createBuilder(
  client: BuildingClient,
  chain: ThreadedChain,
  pool: TransactionPool,
  logger: Logger,
): ThreadedBuilder {
  const source = {
    ordered: () => (client.isRecovering ? [] : pool.ordered()),
    evict: (hashes: readonly Uint8Array[], reason: string) => pool.evict(hashes, reason),
  };
  const onInternalFault = ({ hash, reason }: TransactionFault) =>
    logger.error({ transaction: toHex(hash), reason }, "Evicting a transaction whose execution failed unexpectedly");
  return new ThreadedBuilder({ chain, pool: source, client, onInternalFault });
}

function miningThread(options: NodeOptions, logger: Logger): BuildingClientOptions {
  const address = rewardAddress({ address: options.mining.rewardAddress }, isForDevelopment(options.network));
  return buildingThread("block building", options, { rewardAddress: address }, logger);
}

/** What is pending, as requests on any node see it. */
export function createPendingReads(
  options: NodeOptions,
  chain: ThreadedChain,
  pool: TransactionPool,
  logger: Logger,
): PendingReads {
  const own = {
    rewardAddress: options.mining.rewardAddress ?? new Uint8Array(20),
    timeBudget: PENDING_BLOCK_TIME_BUDGET,
  };
  return new PendingReads({ chain, pool, client: buildingThread("pending reads", options, own, logger) });
}

/** Gas limit of the block that would be mined next. */
export function pendingGasLimit(chain: ThreadedChain): number {
  const { gasLimitValue, gasUsed } = chain.best().header;
  return Number(nextGasLimit(gasLimitValue, BigInt(gasUsed), gasLimitPolicy(chain.network)));
}

function gasLimitPolicy(network: NetworkConfig): { target: bigint; force: true } {
  return { target: isLocal(network) ? LOCAL_GAS_LIMIT : GAS_LIMIT, force: true };
}

function buildingThread(
  name: string,
  { network, dataDir, mining, version }: NodeOptions,
  own: { rewardAddress: Uint8Array; timeBudget?: number },
  logger: Logger,
): BuildingClientOptions {
  const { minimumGasPrice } = mining;
  return {
    name,
    data: {
      network,
      location: databasePath(dataDir),
      nodeCacheCapacity: NODE_CACHE_CAPACITY,
      options: { identity: version.replace("/", "-"), gasLimit: gasLimitPolicy(network), minimumGasPrice, ...own },
    },
    onFailure: (error) => logger.error({ err: error, thread: name }, "A thread failed and will be replaced"),
  };
}
