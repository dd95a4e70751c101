import type { ThreadedChain } from "@cambium/chain";
import { BlockBuilder, LocalMiner, MinerServer, rewardAddress, TimeAdjustment } from "@cambium/miner";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import { NodeError } from "./errors.js";
import { isForDevelopment, isLocal } from "./networks.js";
import type { NodeOptions } from "./options.js";

/** Target of block gas limits on a local network, and elsewhere (`spec/02 §1.1`). */
const LOCAL_GAS_LIMIT = 7_500_000n;
const GAS_LIMIT = 6_800_000n;

/** Milliseconds for the transactions of the pending block. */
const PENDING_BLOCK_TIME_BUDGET = 100;

/** The block producers; both are undefined on a node of a public network that does not mine. */
export interface Mining {
  server: MinerServer | undefined;
  /** On development networks only. */
  local: LocalMiner | undefined;
  /** Resolves after the first block template is built, or has failed to build. */
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
  const parts = mines
    ? { chain, builder: createBuilder(options, chain, pool), adjustment: new TimeAdjustment() }
    : undefined;
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
  return connectToPool(server, local, pool, mining.local.kind !== "on-demand");
}

function connectToPool(
  server: MinerServer | undefined,
  local: LocalMiner | undefined,
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
      await server?.start();
      if (startsLocalMiner) local?.startMining();
    },
    async stop() {
      stopListening();
      server?.stop();
      local?.stopMining();
      await local?.idle();
    },
  };
}

function createBuilder(options: NodeOptions, chain: ThreadedChain, pool: TransactionPool): BlockBuilder {
  const { network, mining } = options;
  const address = rewardAddress({ address: mining.rewardAddress }, isForDevelopment(network));
  return new BlockBuilder({ chain, pool }, { ...blockOptions(options), rewardAddress: address });
}

/**
 * Builder of the pending block for JSON-RPC, on any node. It evicts nothing from the pool, and its time budget is short
 * because requests wait for it.
 */
export function createPendingBlockBuilder(
  options: NodeOptions,
  chain: ThreadedChain,
  pool: TransactionPool,
): BlockBuilder {
  const readOnlyPool = { ordered: () => pool.ordered(), evict() {} };
  const address = options.mining.rewardAddress ?? new Uint8Array(20);
  const budget = { timeBudget: PENDING_BLOCK_TIME_BUDGET, rewardAddress: address };
  return new BlockBuilder({ chain, pool: readOnlyPool }, { ...blockOptions(options), ...budget });
}

function blockOptions({ network, mining, version }: NodeOptions) {
  const target = isLocal(network) ? LOCAL_GAS_LIMIT : GAS_LIMIT;
  return {
    identity: version.replace("/", "-"),
    gasLimit: { target, force: true },
    minimumGasPrice: () => mining.minimumGasPrice,
  };
}
