import type { Chain } from "@cambium/chain";
import { BlockBuilder, LocalMiner, MinerServer, rewardAddress, TimeAdjustment } from "@cambium/miner";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import { NodeError } from "./errors.js";
import { isLocal } from "./networks.js";
import type { NodeOptions } from "./options.js";

/** Target of block gas limits on a local network, and elsewhere (`spec/02 §1.1`). */
const LOCAL_GAS_LIMIT = 7_500_000n;
const GAS_LIMIT = 6_800_000n;

/** The parts that make blocks; both are missing on a node that only follows a public network. */
export interface Mining {
  server: MinerServer | undefined;
  /** On local networks only. */
  local: LocalMiner | undefined;
  start(): void;
  /** Waits for the block that is being made. */
  stop(): Promise<void>;
}

/** Throws {@link NodeError} `LOCAL_MINING_REFUSED`, or `MinerError` `OPTION` without a valid reward address. */
export function createMining(options: NodeOptions, chain: Chain, pool: TransactionPool, logger: Logger): Mining {
  const { network, mining } = options;
  if (!isLocal(network) && mining.local.kind !== "on-demand") {
    throw new NodeError({ code: "LOCAL_MINING_REFUSED", network: network.name });
  }
  const needsBuilder = mining.server || isLocal(network);
  const builder = needsBuilder ? createBuilder(options, chain, pool) : undefined;
  const parts = builder && { chain, builder, adjustment: new TimeAdjustment() };
  const server =
    parts && mining.server
      ? new MinerServer({ ...parts, onBuildError: (error) => logger.error({ err: error }, "No new work") })
      : undefined;
  const local =
    parts && isLocal(network)
      ? new LocalMiner(
          {
            ...parts,
            pool: { ordered: () => pool.ordered(), clear: () => clear(pool) },
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
    start() {
      server?.start();
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

function createBuilder({ network, mining, version }: NodeOptions, chain: Chain, pool: TransactionPool): BlockBuilder {
  const target = isLocal(network) ? LOCAL_GAS_LIMIT : GAS_LIMIT;
  return new BlockBuilder(
    { chain, pool },
    {
      rewardAddress: rewardAddress({ address: mining.rewardAddress }, isLocal(network)),
      identity: version.replace("/", "-"),
      gasLimit: { target, force: true },
      minimumGasPrice: () => mining.minimumGasPrice,
    },
  );
}

/** Empties the pool, which has to do with a chain that is no more. */
function clear(pool: TransactionPool): void {
  const all = [...pool.pending(), ...pool.queued()];
  const hashes = all.map(({ transaction }) => transaction.hash);
  pool.evict(hashes, "the chain was set back");
}
