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

/** Milliseconds. */
const PREVIEW_TIME_BUDGET = 100;

/** The parts that make blocks; both are missing on a node that only follows a public network. */
export interface Mining {
  server: MinerServer | undefined;
  /** On networks for development only. */
  local: LocalMiner | undefined;
  /** Resolves when there is work, or when none could be built. */
  start(): Promise<void>;
  /** Waits for the block that is being made. */
  stop(): Promise<void>;
}

/** Throws {@link NodeError} `LOCAL_MINING_REFUSED`, or `MinerError` `OPTION` without a valid reward address. */
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
      ? new MinerServer({ ...parts, isSyncing, onBuildError: (error) => logger.error({ err: error }, "No new work") })
      : undefined;
  const local =
    parts && development
      ? new LocalMiner(
          {
            ...parts,
            pool,
            onMiningError: (error) => logger.error({ err: error }, "No block was mined"),
          },
          mining.local,
        )
      : undefined;
  return connect(server, local, pool, mining.local.kind !== "on-demand");
}

function connect(
  server: MinerServer | undefined,
  local: LocalMiner | undefined,
  pool: TransactionPool,
  minesAlone: boolean,
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
      if (minesAlone) local?.startMining();
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
 * Builds what is only looked at, on any node: it takes nothing out of the pool, and not long, as requests wait for it.
 */
export function createPreviewBuilder(options: NodeOptions, chain: ThreadedChain, pool: TransactionPool): BlockBuilder {
  const looking = { ordered: () => pool.ordered(), evict() {} };
  const address = options.mining.rewardAddress ?? new Uint8Array(20);
  const budget = { timeBudget: PREVIEW_TIME_BUDGET, rewardAddress: address };
  return new BlockBuilder({ chain, pool: looking }, { ...blockOptions(options), ...budget });
}

function blockOptions({ network, mining, version }: NodeOptions) {
  const target = isLocal(network) ? LOCAL_GAS_LIMIT : GAS_LIMIT;
  return {
    identity: version.replace("/", "-"),
    gasLimit: { target, force: true },
    minimumGasPrice: () => mining.minimumGasPrice,
  };
}
