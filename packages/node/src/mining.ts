import { join } from "node:path";
import { databasePath, LocalChain } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import {
  BlockBuilder,
  type BuildParents,
  LocalMiner,
  type LocalMinerApi,
  MinerServer,
  nextGasLimit,
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
import { ThreadedBuilder } from "./building/threaded-builder.js";
import { NodeError } from "./errors.js";
import { KeptWork } from "./merged-mining/kept-work.js";
import { WorkPartners } from "./merged-mining/partners.js";
import type { NodeChain } from "./node-chain.js";
import type { NodeOptions } from "./options.js";
import { reportSubmissions } from "./reports/submission-report.js";

/**
 * Milliseconds for the transactions of the pending block. Unless the node does everything in one thread, it is built in a thread of its
 * own, which may have just started: only the requests that read it wait for it.
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
  /** Changes the target for the minimum gas price, in wei. */
  setMinimumGasPrice(price: bigint): void;
  /** Resolves after the block in progress. */
  stop(): Promise<void>;
}

/** Creates the block producers. Throws {@link NodeError} `LOCAL_MINING_REFUSED`, or `MinerError` `OPTION` for an invalid reward address. */
export function createMining(
  options: NodeOptions,
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
  const client = mines && !options.inProcess ? new BuildingClient(miningThread(options, logger)) : undefined;
  const price = { value: mining.minimumGasPrice };
  const build = () =>
    client ? createBuilder(client, chain, pool, logger) : createLocalBuilder(options, chain, pool, logger, price);
  const kept = new KeptWork(join(options.dataDir, "work"), logger);
  const partners = new WorkPartners(mining.partners, logger);
  const parts = mines ? { chain, builder: build(), adjustment: new TimeAdjustment() } : undefined;
  const server =
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
          { onRequest: development, emptyFirst: client !== undefined },
        )
      : undefined;
  const local =
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
    { server, local, client, price, work: [kept, partners] },
    pool,
    mining.local.kind !== "on-demand",
  );
}

interface MiningParts extends Pick<Mining, "server" | "local"> {
  client: BuildingClient | undefined;
  /** What keeps and shares the templates of the server. */
  work: readonly { close(): Promise<void> }[];
  /** Of a builder in this thread. */
  price: MinimumGasPrice;
}

/** Wei. */
interface MinimumGasPrice {
  value: bigint;
}

function connectToPool(
  { server, local, client, price, work }: MiningParts,
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
      await local?.begin();
      if (startsLocalMiner) local?.startMining();
    },
    setMinimumGasPrice(value) {
      price.value = value;
      client?.setMinimumGasPrice(value);
      server?.transactionsChanged();
    },
    async stop() {
      stopListening();
      server?.stop();
      await Promise.all(work.map((one) => one.close()));
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
  chain: NodeChain,
  pool: TransactionPool,
  logger: Logger,
): ThreadedBuilder {
  const source = {
    ordered: () => (client.isRecovering ? [] : pool.ordered()),
    evict: (hashes: readonly Uint8Array[], reason: string) => pool.evict(hashes, reason),
  };
  return new ThreadedBuilder({ chain, pool: source, client, onInternalFault: faultLogger(logger) });
}

/** Builds in the calling thread. */
function createLocalBuilder(
  options: NodeOptions,
  chain: NodeChain,
  pool: TransactionPool,
  logger: Logger,
  price: MinimumGasPrice,
): TemplateBuilder {
  const { minimumGasPrice: _, ...rest } = buildingOptions(options, { rewardAddress: minerAddress(options) });
  const modules = { chain, parents: buildParents(chain), pool, onInternalFault: faultLogger(logger) };
  return new BlockBuilder(modules, { ...rest, minimumGasPrice: () => price.value });
}

/** A local chain's own are those that it then imports the block on: nothing is read twice. */
function buildParents(chain: NodeChain): BuildParents | undefined {
  if (!(chain instanceof LocalChain)) return undefined;
  return { stateAfter: (hash) => chain.stateToBuildOn(hash), ancestors: (hash) => chain.branchToBuildOn(hash) };
}

function faultLogger(logger: Logger): (fault: TransactionFault) => void {
  return ({ hash, reason }) =>
    logger.error({ transaction: toHex(hash), reason }, "Evicting a transaction whose execution failed unexpectedly");
}

function minerAddress({ mining, network }: NodeOptions): Uint8Array {
  return rewardAddress({ address: mining.rewardAddress }, isForDevelopment(network));
}

function miningThread(options: NodeOptions, logger: Logger): BuildingClientOptions {
  return buildingThread("block building", options, { rewardAddress: minerAddress(options) }, logger);
}

/** What is pending, as requests on any node see it. */
export function createPendingReads(
  options: NodeOptions,
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
      : buildingThread("pending reads", options, own, logger);
  return new PendingReads({ chain, pool, client, next });
}

/** Gas limit of the block that would be mined next, if it moves to the target; without one, that of the best block. */
export function pendingGasLimit(chain: NodeChain, target: bigint | undefined): number {
  const { gasLimitValue, gasUsed } = chain.best().header;
  return Number(nextGasLimit(gasLimitValue, BigInt(gasUsed), movingTo(target)));
}

function movingTo(target: bigint | undefined): BuildingOptions["gasLimit"] {
  return target === undefined ? undefined : { target, force: true };
}

/** The options that differ between the builders of a node. */
type OwnOptions = Pick<BuildingOptions, "rewardAddress" | "timeBudget">;

function buildingOptions({ mining, version }: NodeOptions, own: OwnOptions): BuildingOptions {
  const { minimumGasPrice, gasLimit } = mining;
  return { identity: version.replace("/", "-"), gasLimit: movingTo(gasLimit), minimumGasPrice, ...own };
}

function buildingThread(name: string, options: NodeOptions, own: OwnOptions, logger: Logger): BuildingClientOptions {
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
  };
}
