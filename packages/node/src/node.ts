import { mkdirSync } from "node:fs";
import { type ChainError, databasePath, openThreadedChain, type ThreadedChain } from "@cambium/chain";
import { toHex } from "@cambium/primitives";
import { createRpcServer, type ServerAddresses, ThreadedExecutor } from "@cambium/rpc";
import type { Logger } from "pino";
import { openAccounts } from "./accounts.js";
import { createRegistry, serveMetrics } from "./metrics.js";
import { createMining, createPreviewBuilder } from "./mining.js";
import type { NodeOptions, PeerOptions } from "./options.js";
import { openPeers, type Peers } from "./peers.js";
import { pendingBlockOf } from "./pending-block.js";
import { openPool } from "./pool.js";

/** A running node: its parts start in the order of what they need, and stop in the opposite one. */
export class Node {
  private constructor(
    readonly chain: ThreadedChain,
    readonly addresses: ServerAddresses,
    /** Resolves when the chain can take no more blocks, which is for the owner to end the node. Never rejects. */
    readonly failed: Promise<ChainError>,
    /** Undefined for a node by itself. */
    readonly peers: Peers | undefined,
    private readonly parts: Parts,
    private readonly logger: Logger,
  ) {}

  /**
   * Opens or creates the database and serves it. What was opened is closed again when a later part fails.
   * Rejects with `ChainError`, `TxPoolError`, `AccountsError`, `MinerError`, {@link NodeError} or `RpcError`.
   */
  static async start(options: NodeOptions, logger: Logger): Promise<Node> {
    const parts = new Parts();
    try {
      const { chain, failed } = await openNodeChain(options, parts, logger);
      const { pool, close } = openPool(chain, options.dataDir, logger);
      parts.add(close);
      const peers = hasPeers(options) ? await openPeers(options, chain, pool, logger) : undefined;
      if (peers !== undefined) parts.add(() => peers.stop());
      const mining = createMining(options, chain, pool, logger, () => peers?.engine.isFarBehind() ?? false);
      parts.add(() => mining.stop());
      const location = databasePath(options.dataDir);
      const heavy = new ThreadedExecutor({ network: options.network, location, config: options.rpc });
      parts.add(() => heavy.close());
      const rpc = createRpcServer({
        chain,
        events: chain,
        pool,
        miner: mining.server,
        localMiner: mining.local,
        accounts: openAccounts(options, logger),
        pendingBlock: pendingBlockOf(chain, pool, createPreviewBuilder(options, chain, pool)),
        heavy,
        ...(peers === undefined ? {} : rpcSources(peers)),
        config: options.rpc,
        clientVersion: clientVersion(options.version),
        logger,
      });
      const addresses = await rpc.listen();
      parts.add(() => rpc.close());
      if (options.metrics !== undefined) {
        const metrics = await serveMetrics(createRegistry({ chain, pool, peers }), options.metrics);
        parts.add(() => metrics.close());
        logger.info({ host: metrics.host, port: metrics.port }, "Metrics are served at /metrics");
      }
      peers?.start();
      mining.start();
      return new Node(chain, addresses, failed, peers, parts, logger);
    } catch (error) {
      await parts.stop();
      throw error;
    }
  }

  /** Lets requests, blocks and writes under way finish. */
  async stop(): Promise<void> {
    await this.parts.stop();
    this.logger.info("Stopped");
  }
}

/** What JSON-RPC shows of peers. */
function rpcSources({ network, scoring, engine }: Peers) {
  const peers = { isListening: () => network.isListening, list: () => network.list() };
  return { peers, scoring, sync: engine };
}

function hasPeers(options: NodeOptions): options is NodeOptions & { peers: PeerOptions } {
  return options.peers !== undefined;
}

/** Ways to end what was started. */
class Parts {
  private readonly ends: (() => void | Promise<void>)[] = [];

  add(end: () => void | Promise<void>): void {
    this.ends.push(end);
  }

  /** The last one first; all of them, even if one fails. */
  async stop(): Promise<void> {
    for (let end = this.ends.pop(); end !== undefined; end = this.ends.pop()) {
      try {
        await end();
      } catch (error) {
        await this.stop();
        throw error;
      }
    }
  }
}

interface NodeChain {
  chain: ThreadedChain;
  failed: Promise<ChainError>;
}

async function openNodeChain({ network, dataDir }: NodeOptions, parts: Parts, logger: Logger): Promise<NodeChain> {
  mkdirSync(dataDir, { recursive: true });
  let onFailure: (error: ChainError) => void = () => undefined;
  const failed = new Promise<ChainError>((resolve) => {
    onFailure = (error) => {
      logger.fatal({ err: error }, "The chain can take no more blocks");
      resolve(error);
    };
  });
  const chain = await openThreadedChain({
    network,
    location: databasePath(dataDir),
    onListenerError: (error) => logger.error({ err: error }, "A listener of the chain failed"),
    onFailure,
  });
  parts.add(() => chain.close());
  const { header, hash } = chain.best();
  logger.info({ number: header.number, hash: toHex(hash) }, "Chain opened");
  return { chain, failed };
}

/** `<Name>/<version>/<os>/<runtime>/<modifier>-<build>` (`spec/09 §7.1`). */
function clientVersion(version: string): string {
  return `${version}/${process.platform}-${process.arch}/node${process.versions.node}/RELEASE-${version.split("/")[1]}`;
}
