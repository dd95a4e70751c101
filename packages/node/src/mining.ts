import { join } from "node:path";
import { LocalChain } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import { databasePath } from "@cambium/database";
import {
  BlockBuilder,
  type BuildParents,
  LocalMiner,
  type LocalMinerApi,
  MinerServer,
  nextGasLimit,
  type PendingTransactionSource,
  rewardAddress,
  type TemplateBuilder,
  TimeAdjustment,
  type TransactionFault,
} from "@cambium/miner";
import { toHex } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import { BuildingClient, type BuildingClientOptions } from "./building/building-client.js";
import { BuildingHere } from "./building/building-here.js";
import type { BuildingOptions } from "./building/building-messages.js";
import { PendingReads } from "./building/pending-reads.js";
import { ThreadedBuilder, type ThreadedBuilderParts } from "./building/threaded-builder.js";
import { NodeError } from "./errors.js";
import { KeptWork } from "./merged-mining/kept-work.js";
import { WorkPartners } from "./merged-mining/partners.js";
import type { NodeChain } from "./node-chain.js";
import type { NodeOptions } from "./options.js";
import { reportSubmissions } from "./reports/submission-report.js";

/**
 * Milliseconds for the transactions of the pending block. Usually a separate thread builds it, which may have just
 * started: only the requests that read the block wait.
 */
const PENDING_BLOCK_TIME_BUDGET = 1000;
/** Milliseconds of processor time for one pending transaction: less than half of the time for a block template. */
const TRANSACTION_TIME = 150;
/** Number of state nodes that a building thread caches. */
const NODE_CACHE_CAPACITY = 50_000;

/** Block producers; both are undefined on a node of a public network that does not mine. */
export interface Mining {
  server: MinerServer | undefined;
  /** The built-in miner, on development networks only. */
  local: LocalMiner | undefined;
  /**
   * Starts the producers. Resolves after the first block template is built, or has failed to build. Rejects if the
   * building thread cannot open the database.
   */
  start(): Promise<void>;
  /** Changes the target for the minimum gas price, in wei. */
  setMinimumGasPrice(price: bigint): void;
  /** Stops the producers. Resolves after the block in progress. */
  stop(): Promise<void>;
}

/** Options of the block builders. */
export type BuilderOptions = Pick<NodeOptions, "network" | "dataDir" | "mining" | "inProcess" | "version">;

/**
 * Creates the block producers. Throws {@link NodeError} `LOCAL_MINING_REFUSED`, or `MinerError` `OPTION` for an invalid
 * reward address.
 */
export function createMining(
  options: BuilderOptions,
  chain: NodeChain,
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
  const threads = mines && !options.inProcess ? miningThreads(options, pool, logger) : undefined;
  const price = { value: mining.minimumGasPrice };
  const poolChanged = () => {
    server?.transactionsChanged();
    local?.transactionsChanged();
  };
  const build = () =>
    threads
      ? createBuilder(threads, chain, pool, logger, poolChanged)
      : createLocalBuilder(options, chain, pool, logger, price);
  const kept = new KeptWork(join(options.dataDir, "work"), logger);
  const partners = new WorkPartners(mining.partners, logger);
  const parts = mines ? { chain, builder: build(), adjustment: new TimeAdjustment() } : undefined;
  const server: MinerServer | undefined =
    parts && mining.server
      ? new MinerServer(
          {
            ...parts,
            isSyncing,
            onServed: (template) => {
              kept.keep(template);
              partners.share(template);
            },
            onBuildError: (error) => logger.error({ err: error }, "Failed to build a block template"),
            onSubmission: reportSubmissions(logger),
          },
          { onRequest: development, emptyFirst: threads !== undefined },
        )
      : undefined;
  const local: LocalMiner | undefined =
    parts && development
      ? new LocalMiner(
          {
            ...parts,
            pool,
            forkGasLimit: mining.gasLimit,
            onMiningError: (error) => logger.error({ err: error }, "Failed to mine a block"),
          },
          mining.local,
        )
      : undefined;
  if (server !== undefined) kept.restore(server);
  return connectToPool(
    { server, local, threads, price, work: [kept, partners], poolChanged },
    pool,
    mining.local.kind !== "on-demand",
  );
}

/** Threads that build block templates: see `ThreadedBuilderParts`. */
type MiningThreads = Pick<ThreadedBuilderParts, "client" | "emptyClient">;

interface MiningParts extends Pick<Mining, "server" | "local"> {
  threads: MiningThreads | undefined;
  /** Objects that keep and share the templates of the server. */
  work: readonly { close(): Promise<void> }[];
  /** Minimum gas price of a builder in this thread. */
  price: MinimumGasPrice;
  /** Notifies the block producers of new transactions. */
  poolChanged: () => void;
}

/** Target in wei. */
interface MinimumGasPrice {
  value: bigint;
}

function connectToPool(
  { server, local, threads, price, work, poolChanged }: MiningParts,
  pool: TransactionPool,
  startsLocalMiner: boolean,
): Mining {
  const clients = threads === undefined ? [] : [threads.client, threads.emptyClient];
  const stopListening = pool.on((event) => {
    // The slow transactions have left the pool, so a new template has time for others.
    if (event.kind === "newPending" || (event.kind === "evicted" && event.reason === "slow")) poolChanged();
  });
  return {
    server,
    local,
    async start() {
      await threads?.client.open();
      // The start of the thread must not delay work on a new block.
      if (server !== undefined) await threads?.emptyClient.open();
      await server?.start();
      await local?.begin();
      if (startsLocalMiner) local?.startMining();
    },
    setMinimumGasPrice(value) {
      price.value = value;
      for (const client of clients) client.setMinimumGasPrice(value);
      server?.transactionsChanged();
    },
    async stop() {
      stopListening();
      server?.stop();
      await Promise.all(work.map((one) => one.close()));
      local?.stopMining();
      await local?.idle();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

/**
 * Creates a builder in a thread. After a failure of the thread, the first template has no transactions: work is then
 * available even if a transaction caused the failure.
 */
function createBuilder(
  { client, emptyClient }: MiningThreads,
  chain: NodeChain,
  pool: TransactionPool,
  logger: Logger,
  onLateAnswer: () => void,
): ThreadedBuilder {
  const source: PendingTransactionSource = {
    ordered: () => (client.isRecovering ? [] : pool.ordered()),
    evict: (hashes, reason) => pool.evict(hashes, reason),
  };
  const onInternalFault = faultLogger(logger);
  return new ThreadedBuilder({ chain, pool: source, client, emptyClient, onInternalFault, onLateAnswer });
}

/** Creates a builder in the calling thread without a time limit: clients of such a node wait for the block. */
function createLocalBuilder(
  options: BuilderOptions,
  chain: NodeChain,
  pool: TransactionPool,
  logger: Logger,
  price: MinimumGasPrice,
): TemplateBuilder {
  const { minimumGasPrice: _, ...rest } = buildingOptions(options, {
    rewardAddress: minerAddress(options),
    timeBudget: Number.POSITIVE_INFINITY,
  });
  const builderParts = { chain, parents: buildParents(chain), pool, onInternalFault: faultLogger(logger) };
  return new BlockBuilder(builderParts, { ...rest, minimumGasPrice: () => price.value });
}

/** Returns the states of a local chain, on which it also imports the block, so that values are read only once. */
function buildParents(chain: NodeChain): BuildParents | undefined {
  if (!(chain instanceof LocalChain)) return undefined;
  return { stateAfter: (hash) => chain.stateToBuildOn(hash), ancestors: (hash) => chain.branchToBuildOn(hash) };
}

function faultLogger(logger: Logger): (fault: TransactionFault) => void {
  return ({ hash, reason }) =>
    logger.error({ transaction: toHex(hash), reason }, "Evicting a transaction whose execution failed unexpectedly");
}

function minerAddress({ mining, network }: BuilderOptions): Uint8Array {
  return rewardAddress({ address: mining.rewardAddress }, isForDevelopment(network));
}

function miningThreads(options: BuilderOptions, pool: TransactionPool, logger: Logger): MiningThreads {
  const thread = (name: string) => {
    const own = { rewardAddress: minerAddress(options), transactionTime: TRANSACTION_TIME };
    return new BuildingClient(buildingThread(name, options, own, pool, logger));
  };
  return { client: thread("block building"), emptyClient: thread("empty templates") };
}

/** Creates the reads of pending state, as requests on any node see it. */
export function createPendingReads(
  options: BuilderOptions,
  chain: NodeChain,
  pool: TransactionPool,
  localMiner: LocalMinerApi | undefined,
  logger: Logger,
): PendingReads {
  const own = {
    rewardAddress: options.mining.rewardAddress ?? new Uint8Array(20),
    timeBudget: PENDING_BLOCK_TIME_BUDGET,
  };
  const next = localMiner && (() => localMiner.next.request);
  const client =
    chain instanceof LocalChain
      ? new BuildingHere(chain, buildingOptions(options, own))
      : buildingThread("pending reads", options, { ...own, transactionTime: TRANSACTION_TIME }, pool, logger);
  return new PendingReads({ chain, pool, client, next });
}

/** Returns the gas limit of the next block if it moves to the target; without a target, that of the best block. */
export function pendingGasLimit(chain: NodeChain, target: bigint | undefined): number {
  const { gasLimitValue, gasUsed } = chain.best().header;
  return Number(nextGasLimit(gasLimitValue, BigInt(gasUsed), movingTo(target)));
}

function movingTo(target: bigint | undefined): BuildingOptions["gasLimit"] {
  return target === undefined ? undefined : { target, force: true };
}

/** Options that differ between the builders of a node. */
type OwnOptions = Pick<BuildingOptions, "rewardAddress" | "timeBudget" | "transactionTime">;

function buildingOptions({ mining, version }: BuilderOptions, own: OwnOptions): BuildingOptions {
  const { minimumGasPrice, gasLimit } = mining;
  return { identity: version.replace("/", "-"), gasLimit: movingTo(gasLimit), minimumGasPrice, ...own };
}

function buildingThread(
  name: string,
  options: BuilderOptions,
  own: OwnOptions,
  pool: TransactionPool,
  logger: Logger,
): BuildingClientOptions {
  const { network, dataDir } = options;
  return {
    name,
    data: {
      network,
      location: databasePath(dataDir),
      nodeCacheCapacity: NODE_CACHE_CAPACITY,
      options: buildingOptions(options, own),
    },
    onFailure: (error) => logger.error({ err: error, thread: name }, "A thread failed and will be replaced"),
    onSlow: ({ hash }) => pool.evict([hash], "slow"),
  };
}
