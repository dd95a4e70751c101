import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import {
  createChainEvm,
  databasePath,
  LocalChain,
  openReader,
  openSnapshotInstaller,
  prepareDatabase,
  type StoredChainReader,
} from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import { type Database, openLevelDatabase } from "@cambium/database";
import type { LocalMinerApi } from "@cambium/miner";
import {
  CallingThreadFirst,
  createRpcServer,
  type HeavyExecutor,
  LOCAL_CALLS,
  type ServerAddresses,
  SHARED_CALLS,
  ThreadedExecutor,
} from "@cambium/rpc";
import type { Logger } from "pino";
import { openAccounts } from "./accounts.js";
import { NodeError } from "./errors.js";
import { Health } from "./health.js";
import type { Metrics } from "./metrics.js";
import { createMining, createPendingReads, pendingGasLimit } from "./mining.js";
import { type NodeChain, openNodeChain } from "./node-chain.js";
import type { NodeOptions, PeerOptions } from "./options.js";
import type { PeerSources, Peers } from "./peers.js";
import { openPool } from "./pool.js";
import { reportChain } from "./reports/chain-report.js";
import { watchResources } from "./reports/resource-watch.js";

/** A running node: its parts start in the order of their dependencies, and stop in reverse order. */
export class Node {
  private constructor(
    readonly chain: NodeChain,
    readonly addresses: ServerAddresses,
    /** Resolves with the error if the chain can import no more blocks; the owner should then stop the node. Never rejects. */
    readonly failed: Promise<Error>,
    /** Undefined for a node without peers. */
    readonly peers: Peers | undefined,
    /** The built-in miner, on development networks only. */
    readonly localMiner: LocalMinerApi | undefined,
    private readonly parts: Parts,
    private readonly logger: Logger,
  ) {}

  /**
   * Opens or creates the database, downloads a snapshot if configured, and starts all parts. If one fails, those started
   * before it are stopped. Resolves to undefined if the signal aborts before the node serves. Rejects with `DatabaseError`,
   * `ChainError`, `TxPoolError`, `AccountsError`, `MinerError`, `NetworkingError`, {@link NodeError} or `RpcError`.
   */
  static async start(
    options: NodeOptions,
    logger: Logger,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Node | undefined> {
    if (options.network.fork !== undefined && hasPeers(options)) {
      throw new NodeError({ code: "FORK_WITH_PEERS", network: options.network.name });
    }
    const parts = new Parts();
    try {
      const sources = await openNodeDatabase(options, parts);
      parts.add(watchResources(options.dataDir, logger));
      await reviewSnapshot(options, sources.database, logger);
      const { metrics, health } = await startMetrics(options, sources.reader, parts, logger);
      const peers = hasPeers(options) ? await openPeers(options, sources, logger) : undefined;
      if (peers !== undefined) {
        parts.add(() => peers.stop());
        metrics?.addPeers(peers);
        health?.addPeers(peers, !isForDevelopment(options.network));
        if (options.syncMode === "snapshot") await peers.installSnapshot(signal);
      }
      return await Node.serve(options, { peers, metrics, health, parts, logger }, signal);
    } catch (error) {
      await parts.stop();
      if (signal.aborted && error === signal.reason) {
        logger.info("Node stopped");
        return undefined;
      }
      throw error;
    }
  }

  /** Opens the chain and everything that depends on it. */
  private static async serve(options: NodeOptions, opened: OpenedParts, signal: AbortSignal): Promise<Node> {
    const { peers, metrics, health, parts, logger } = opened;
    signal.throwIfAborted();
    const { chain, failed, fail } = await openNodeChain(options, logger.child({ package: "chain" }));
    void failed.then((error) => health?.fails(error));
    parts.add(() => chain.close());
    const { pool, close } = openPool(
      chain,
      options.dataDir,
      () => peers?.isCatchingUp() ?? false,
      logger.child({ package: "txpool" }),
    );
    parts.add(close);
    metrics?.addPool(pool);
    const engine = peers?.attachChain({ chain, pool, onFailure: fail });
    if (peers !== undefined) parts.add(() => peers.stopSync());
    parts.add(reportChain(chain, () => (engine?.status() ?? false) !== false, logger.child({ package: "chain" })));
    const minerLogger = logger.child({ package: "miner" });
    const mining = createMining(options, chain, pool, minerLogger, () => engine?.isFarBehind() ?? false);
    parts.add(() => mining.stop());
    const location = databasePath(options.dataDir);
    const heavy = createExecutor(options, chain, location);
    parts.add(() => heavy.close());
    const pending = createPendingReads(options, chain, pool, mining.local, minerLogger);
    parts.add(() => pending.close());
    const rpc = createRpcServer({
      chain,
      events: chain,
      pool,
      miner: mining.server,
      localMiner: mining.local,
      accounts: openAccounts(options, logger),
      pendingBlock: () => pending.block(),
      pendingGasLimit: () => pendingGasLimit(chain, mining.local?.next.gasLimit ?? options.mining.gasLimit),
      pendingState: pending,
      heavy,
      ...(peers === undefined ? {} : rpcSources(peers)),
      admin: { dataDir: resolve(options.dataDir), setLogLevels: options.setLogLevels },
      sync: engine,
      config: options.rpc,
      location,
      clientVersion: options.clientVersion ?? clientVersion(options.version),
      logger: logger.child({ package: "rpc" }),
    });
    signal.throwIfAborted();
    // There is work as soon as miners can ask for it.
    await mining.start();
    signal.throwIfAborted();
    const addresses = await rpc.listen();
    parts.add(() => rpc.close());
    peers?.startSync();
    health?.serves();
    return new Node(chain, addresses, failed, peers, mining.local, parts, logger);
  }

  /** Stops all parts, after requests, imports and writes in progress. */
  async stop(): Promise<void> {
    await this.parts.stop();
    this.logger.info("Node stopped");
  }
}

/** This thread for short calls, and others for heavy requests. */
function createExecutor({ network, rpc: config }: NodeOptions, chain: NodeChain, location: string) {
  const threads = new ThreadedExecutor({ network, location, config });
  const [others, limits] =
    chain instanceof LocalChain ? [afterWrites(chain, threads), LOCAL_CALLS] : [threads, SHARED_CALLS];
  return new CallingThreadFirst(others, config, limits, (isInterrupted) =>
    chain.readerWith(createChainEvm(network, { isInterrupted })),
  );
}

/** Tasks start when the threads can read the blocks that they are about. */
function afterWrites(chain: LocalChain, threads: HeavyExecutor): HeavyExecutor {
  return {
    run: async (name, request, deadline) => {
      await chain.written();
      return threads.run(name, request, deadline);
    },
    close: () => threads.close(),
  };
}

/** The sources of the peer methods of JSON-RPC. */
function rpcSources({ network, scoring }: Peers) {
  return { peers: { isListening: () => network.isListening, list: () => network.list() }, scoring, network };
}

/** The parts that are opened before the chain. */
interface OpenedParts {
  peers: Peers | undefined;
  metrics: Metrics | undefined;
  health: Health | undefined;
  parts: Parts;
  logger: Logger;
}

function hasPeers(options: NodeOptions): options is NodeOptions & { peers: PeerOptions } {
  return options.peers !== undefined;
}

/** The parts started so far, by their stop functions. */
class Parts {
  private readonly ends: (() => void | Promise<void>)[] = [];

  add(end: () => void | Promise<void>): void {
    this.ends.push(end);
  }

  /** Stops all parts, the last one first, even if one fails. */
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

/**
 * The database with its genesis block. It is opened before, and closed after, the threads that open it too, so that the
 * process holds its lock throughout.
 */
async function openNodeDatabase(
  { network, dataDir, inProcess }: NodeOptions,
  parts: Parts,
): Promise<{ database: Database; reader: StoredChainReader }> {
  mkdirSync(dataDir, { recursive: true });
  const database = await openLevelDatabase(databasePath(dataDir), { create: true, writesHere: inProcess });
  parts.add(() => database.close());
  await prepareDatabase({ network, database });
  return { database, reader: openReader({ network, database }) };
}

/**
 * A snapshot under way is not replaced by executing every block unless the operator says so. Throws {@link NodeError}
 * `SNAPSHOT_UNFINISHED`.
 */
async function reviewSnapshot(
  { network, syncMode, state }: NodeOptions,
  database: Database,
  logger: Logger,
): Promise<void> {
  if (syncMode === "snapshot") return;
  const installer = await openSnapshotInstaller({ network, database, stateLayout: state?.layout });
  const block = installer.progress?.checkpoint.number;
  if (block === undefined || !installer.isPossible) return;
  if (syncMode === undefined) throw new NodeError({ code: "SNAPSHOT_UNFINISHED", block });
  await installer.abandon();
  logger.warn({ number: block }, "Discarded an unfinished snapshot; every block is executed");
}

/** Loads libp2p, which nodes without peers start sooner without. */
async function openPeers(options: NodeOptions & { peers: PeerOptions }, sources: PeerSources, logger: Logger) {
  const { Peers } = await import("./peers.js");
  return Peers.open(options, sources, logger);
}

/** The metrics and the health of the node, served from now on; undefined without a metrics server. */
async function startMetrics(
  { metrics: options, dataDir }: NodeOptions,
  reader: StoredChainReader,
  parts: Parts,
  logger: Logger,
): Promise<{ metrics?: Metrics; health?: Health }> {
  if (options === undefined) return {};
  const { Metrics, serveMetrics } = await import("./metrics.js");
  const metrics = new Metrics(reader);
  metrics.addDisk(dataDir);
  const health = new Health(reader, options.maxLag);
  const server = await serveMetrics(metrics, health, options);
  parts.add(() => server.close());
  logger.info({ host: server.host, port: server.port }, "Metrics server listening, paths /metrics, /health and /ready");
  return { metrics, health };
}

/** `<Name>/<version>/<os>/<runtime>/<modifier>-<build>` (`spec/09 §7.1`). */
function clientVersion(version: string): string {
  return `${version}/${process.platform}-${process.arch}/node${process.versions.node}/RELEASE-${version.split("/")[1]}`;
}
