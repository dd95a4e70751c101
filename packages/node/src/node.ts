import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import type { ForkTarget } from "@cambium/api";
import { genesisWrites, openReader, prepareDatabase, SnapshotInstaller, type StoredChainReader } from "@cambium/chain";
import { type Database, databasePath, openLevelDatabase } from "@cambium/database";
import type { LocalMinerApi } from "@cambium/miner";
import {
  createRpcServer,
  type ProgramConnection,
  type RpcConfig,
  type RpcServer,
  type ServerAddresses,
} from "@cambium/rpc";
import type { Logger } from "pino";
import { openAccounts } from "./accounts.js";
import { CurrentChain } from "./current-chain.js";
import { developerPart } from "./developer-part.js";
import { NodeError } from "./errors.js";
import type { Health } from "./health.js";
import { clientVersion, startMonitoring } from "./monitoring.js";
import { type NodeChain, openNodeChain, type RunningChain } from "./node-chain.js";
import { type OpenChain, openChain, type Surroundings } from "./open-chain.js";
import { HEAD_WAIT, type NodeChanges, type NodeOptions, type PeerOptions } from "./options.js";
import { Parts } from "./parts.js";
import type { OpenPeersOptions, PeerSources, Peers } from "./peers.js";
import { type Preparation, showStart } from "./preparation.js";
import type { Replication } from "./replication.js";
import { watchResources } from "./reports/resource-watch.js";
import { readStatus } from "./status.js";

/** A running node: its parts start in the order of their dependencies, and stop in reverse order. */
export class Node {
  private constructor(
    private readonly current: CurrentChain,
    private listening: ServerAddresses | undefined,
    /** Peers of the node; undefined for a node without peers. */
    readonly peers: Peers | undefined,
    private readonly changeable: Changeable,
    private readonly parts: Parts,
    private readonly logger: Logger,
  ) {}

  /** Listening addresses of JSON-RPC. Throws {@link NodeError} `NOT_LISTENING` if it does not listen yet. */
  get addresses(): ServerAddresses {
    if (this.listening === undefined) throw new NodeError({ code: "NOT_LISTENING" });
    return this.listening;
  }

  get chain(): NodeChain {
    return this.current.value.chain;
  }

  /** The built-in miner, on development networks only. */
  get localMiner(): LocalMinerApi | undefined {
    return this.current.value.localMiner;
  }

  /**
   * Resolves with the error if the chain can import no more blocks; the owner should then stop the node. Never rejects.
   */
  get failed(): Promise<Error> {
    return this.current.failed;
  }

  /** Calls the listener after `chain` and `localMiner` have been replaced ({@link NodeOptions.otherChain}). */
  onChainReplaced(listener: () => void): void {
    this.current.onReplaced(listener);
  }

  /**
   * Opens or creates the database, downloads a snapshot if configured, and starts all parts. If a part fails, those
   * started before it are stopped. Resolves to undefined if the signal aborts before the node serves. The `prepared`
   * monitor serves metrics and health, and stays open; the page gives way to JSON-RPC. Rejects with `DatabaseError`,
   * `ChainError`, `TxPoolError`, `AccountsError`, `MinerError`, `NetworkingError`, {@link NodeError} or `RpcError`.
   */
  static async start(
    options: NodeOptions,
    logger: Logger,
    signal: AbortSignal = new AbortController().signal,
    prepared: Partial<Pick<Preparation, "monitor" | "closePage">> = {},
  ): Promise<Node | undefined> {
    if (options.network.fork !== undefined && hasPeers(options)) {
      throw new NodeError({ code: "FORK_WITH_PEERS", network: options.network.name });
    }
    const parts = new Parts();
    try {
      const sources = await openNodeDatabase(options, parts);
      parts.add(watchResources(options.dataDir, logger));
      await reviewSnapshot(options, sources.database, logger);
      const opening = opensEarly(options) ? startChain(options, parts, logger) : undefined;
      const { monitor, closePage } = prepared;
      const { metrics, health } = await startMonitoring(options, sources.reader, { parts, logger, monitor });
      const peers = hasPeers(options) ? await openPeers(options, sources, logger) : undefined;
      if (peers !== undefined) {
        parts.add(() => peers.stop());
        metrics?.addPeers(peers);
        health.addPeers(peers);
        if (options.syncMode === "snapshot") await installSnapshot(peers, options.rpc, logger, signal);
      }
      const replication = await openNodeReplication(options, sources.reader, parts, logger);
      const { reader } = sources;
      const opened = { peers, metrics, health, replication, reader, parts, logger, opening, closePage };
      return await Node.serve(options, opened, signal);
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
    const { peers, health, replication, reader, parts, logger, opening } = opened;
    signal.throwIfAborted();
    const own = new Parts();
    parts.add(() => own.stop());
    const first = await openChain(options, opened, own, opening);
    const current = new CurrentChain(first, logger);
    parts.add(() => current.stop());
    const rpc: RpcServer = createRpcServer({
      ...first.served,
      accounts: openAccounts(options, logger),
      revertText: options.revertText,
      onFailedRequest: options.onFailedRequest,
      ...(peers === undefined ? {} : rpcSources(peers)),
      ...developerPart(options),
      ...(options.otherChain === undefined
        ? {}
        : {
            replaceChain: (target) =>
              current.replace(
                () => openOther(options, target, logger),
                ({ served }) => {
                  health.chain = served.chain;
                  return rpc.serve(served);
                },
              ),
          }),
      readiness: () => health.readiness(),
      admin: {
        dataDir: resolve(options.dataDir),
        setLogLevels: options.setLogLevels && ((levels) => changeable.setLogLevels(levels)),
        reloadConfig: options.reloadConfig,
        status: () => readStatus(options.dataDir, reader),
      },
      config: replication === undefined ? options.rpc : { ...options.rpc, headWait: HEAD_WAIT },
      location: databasePath(options.dataDir),
      clientVersion: options.clientVersion ?? clientVersion(options.version),
      logger: logger.child({ package: "rpc" }),
    });
    const setLogLevels = (levels: string) => {
      options.setLogLevels?.(levels);
      rpc.logLevelsChanged();
    };
    const changeable = { rpc, health, setLogLevels };
    signal.throwIfAborted();
    // Work is available as soon as miners can request it.
    await first.startMining();
    signal.throwIfAborted();
    await meterUsage(options.usage, rpc, parts, logger);
    await opened.closePage?.();
    const addresses = options.listensLater ? undefined : await rpc.listen();
    parts.add(() => rpc.close());
    replication?.start({ ...first, rpc });
    peers?.startSync();
    health.serves();
    return new Node(current, addresses, peers, changeable, parts, logger);
  }

  /** Changes options while the node runs. Throws `NetworkingError` `INVALID_OPTION` without changing anything. */
  change(changes: NodeChanges): void {
    const { rpc, health, setLogLevels } = this.changeable;
    this.peers?.network.change(changes);
    rpc.change(changes);
    const { minimumGasPrice, maxLag, logLevels } = changes;
    if (logLevels !== undefined) setLogLevels(logLevels);
    if (minimumGasPrice !== undefined) this.current.value.setMinimumGasPrice(minimumGasPrice);
    if (maxLag !== undefined) health.maxLag = maxLag;
  }

  /** Starts the server of a node with {@link NodeOptions.listensLater}. Rejects as {@link Node.start} does. */
  async listen(): Promise<ServerAddresses> {
    this.listening ??= await this.changeable.rpc.listen();
    return this.listening;
  }

  /** Connects a client of this process to JSON-RPC. `deliver` receives its notifications, as text. */
  connect(deliver: (message: string) => void): ProgramConnection {
    return this.changeable.rpc.connect(deliver);
  }

  /** Stops all parts, after requests, imports and writes in progress. */
  async stop(): Promise<void> {
    await this.parts.stop();
    this.logger.info("Node stopped");
  }
}

/** Opens the chain that replaces the one of a node. */
async function openOther(options: NodeOptions, target: ForkTarget | undefined, logger: Logger): Promise<OpenChain> {
  const parts = new Parts();
  try {
    const { close, ...own } = await options.otherChain!(target);
    parts.add(close);
    const merged = { ...options, ...own };
    await openNodeDatabase(merged, parts);
    const around = { peers: undefined, metrics: undefined, health: undefined, replication: undefined, logger };
    const open = await openChain(merged, around, parts);
    await open.startMining();
    return open;
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/** Returns the sources of the peer methods of JSON-RPC. */
function rpcSources({ network, scoring }: Peers) {
  return { peers: { isListening: () => network.isListening, list: () => network.list() }, scoring, network };
}

/** Parts that a change of the options affects, besides the peers and the chain. */
interface Changeable {
  rpc: RpcServer;
  health: Health;
  /** Sets the levels of the log in all threads. */
  setLogLevels(levels: string): void;
}

/** Parts that are opened before the chain. */
interface OpenedParts extends Surroundings {
  health: Health;
  parts: Parts;
  reader: StoredChainReader;
  opening: Promise<RunningChain> | undefined;
  closePage: (() => Promise<void>) | undefined;
}

function hasPeers(options: NodeOptions): options is NodeOptions & { peers: PeerOptions } {
  return options.peers !== undefined;
}

/**
 * Opens the database with its genesis block. It is opened before the threads that open it too, and closed after them,
 * so that the process always holds its lock.
 */
async function openNodeDatabase(
  { network, dataDir, inProcess, state }: Pick<NodeOptions, "network" | "dataDir" | "inProcess" | "state">,
  parts: Parts,
): Promise<{ database: Database; reader: StoredChainReader }> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const content = () => genesisWrites({ network, stateLayout: state?.layout });
  const database = await openLevelDatabase(databasePath(dataDir), { create: true, content, writesHere: inProcess });
  parts.add(() => database.close());
  await prepareDatabase({ network, database, stateLayout: state?.layout });
  return { database, reader: openReader({ network, database }) };
}

/**
 * Checks for an unfinished snapshot, which is abandoned in favour of executing every block only at the operator's
 * request. Throws {@link NodeError} `SNAPSHOT_UNFINISHED`.
 */
async function reviewSnapshot(
  { network, syncMode, state }: Pick<NodeOptions, "network" | "syncMode" | "state">,
  database: Database,
  logger: Logger,
): Promise<void> {
  if (syncMode === "snapshot") return;
  const installer = await SnapshotInstaller.open({ network, database, stateLayout: state?.layout });
  const block = installer.progress?.checkpoint.number;
  if (block === undefined || !installer.isPossible) return;
  if (syncMode === undefined) throw new NodeError({ code: "SNAPSHOT_UNFINISHED", block });
  await installer.abandon();
  logger.warn({ number: block }, "Discarded an unfinished snapshot; every block is executed");
}

/** Installs a snapshot, while a page at the address of JSON-RPC shows the progress. */
async function installSnapshot(peers: Peers, rpc: RpcConfig, logger: Logger, signal: AbortSignal): Promise<void> {
  const page = await showStart(rpc, () => peers.snapshotText(), logger);
  await peers.installSnapshot(signal).finally(() => page.close());
}

/** Whether the chain needs neither a snapshot nor a log for replicas, and can open at the same time as the peers. */
function opensEarly({ syncMode, replication, peers }: NodeOptions): boolean {
  return peers !== undefined && syncMode !== "snapshot" && replication === undefined;
}

/** Starts to open the chain, in its thread. Closes it with the other parts if the node does not start. */
function startChain(options: NodeOptions, parts: Parts, logger: Logger): Promise<RunningChain> {
  const opening = openNodeChain(options, logger.child({ package: "chain" }));
  // A failure is reported to the caller, who first opens the peers.
  const opened = opening.catch(() => undefined);
  parts.add(async () => (await opened)?.chain.close());
  return opening;
}

/** Loads libp2p and opens the peers. Nodes without peers start faster without the module. */
async function openPeers(options: OpenPeersOptions, sources: PeerSources, logger: Logger) {
  const { Peers } = await import("./peers.js");
  return Peers.open(options, sources, logger);
}

/**
 * Opens replication; undefined for a node without replicas. While a snapshot is to be installed, the database is
 * incomplete.
 */
async function openNodeReplication(
  { replication, dataDir }: Pick<NodeOptions, "replication" | "dataDir">,
  reader: StoredChainReader,
  parts: Parts,
  logger: Logger,
): Promise<Replication | undefined> {
  if (replication === undefined) return undefined;
  const { openReplication } = await import("./replication.js");
  const isComplete = reader.earliestBlock() === 0 || reader.snapshotBlock() === 0;
  const database = { location: databasePath(dataDir), isComplete };
  return openReplication(replication, database, parts, logger.child({ package: "replication" }));
}

async function meterUsage(usage: NodeOptions["usage"], rpc: RpcServer, parts: Parts, logger: Logger): Promise<void> {
  if (usage === undefined) return;
  const { publishUsage } = await import("./usage.js");
  publishUsage(usage, rpc, parts, logger.child({ package: "rpc" }));
}
