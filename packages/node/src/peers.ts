import { join } from "node:path";
import { SnapshotServer, type StoredChainReader } from "@cambium/chain";
import type { Database } from "@cambium/database";
import { openNetwork, openPeerScoring, type RunningNetwork } from "@cambium/networking";
import { steadyTime } from "@cambium/primitives";
import { GossipService, SnapshotSync, SyncEngine, type SyncProgress, WorkVerification } from "@cambium/sync";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import type { NodeChain } from "./node-chain.js";
import type { NodeOptions, PeerOptions } from "./options.js";
import { type PeerReport, reportPeers } from "./reports/peer-report.js";

/** The database, which serves peers' requests and receives a snapshot. */
export interface PeerSources {
  /** Reader that sees the writes of every thread. */
  reader: StoredChainReader;
  database: Database;
}

/** The parts that synchronisation and gossip work on. */
export interface AttachedChain {
  chain: NodeChain;
  pool: TransactionPool;
  /** Called once if the headers or blocks below a snapshot contradict it, or cannot be written. */
  onFailure: (error: Error) => void;
}

/** Options of the peers of a node, whose data folder keeps the known peers. */
export type OpenPeersOptions = Pick<NodeOptions, "network" | "dataDir" | "version"> & { peers: PeerOptions };

/**
 * Networking, synchronisation and gossip. Peers are connected and served before the chain is opened, because a snapshot
 * may have to be downloaded first.
 */
export class Peers {
  private attached: { pool: TransactionPool; engine: SyncEngine; start(): void; stop(): Promise<void> } | undefined;

  private constructor(
    readonly network: RunningNetwork,
    readonly scoring: ReturnType<typeof openPeerScoring>,
    readonly snapshots: SnapshotSync,
    private readonly database: Database,
    private readonly options: PeerOptions,
    private readonly logger: Logger,
    private readonly report: PeerReport,
  ) {}

  /** Starts networking: connects to peers and serves their requests. Rejects with `NetworkingError`. */
  static async open(options: OpenPeersOptions, { reader, database }: PeerSources, nodeLogger: Logger): Promise<Peers> {
    const logger = nodeLogger.child({ package: "p2p" });
    const syncLogger = nodeLogger.child({ package: "sync" });
    const { checkpoint, fillsHistory: _, ...peerOptions } = options.peers;
    const folder = join(options.dataDir, "network");
    const scoring = openPeerScoring({ ...peerOptions, folder, now: steadyTime, logger });
    let peers: Peers | undefined;
    const sources = {
      chain: reader,
      pooledTransaction: (hash: Uint8Array) => peers?.attached?.pool.get(hash)?.transaction.encoded,
      earliestBody: () => reader.earliestBlock(),
      snapshots: peerOptions.servesSnapshots ? new SnapshotServer(reader) : undefined,
    };
    const networking = { ...peerOptions, network: options.network, folder, clientId: options.version };
    const network = await openNetwork(networking, { sources, scoring, logger }).catch((error) => {
      scoring.close();
      throw error;
    });
    for (const address of network.listenAddresses()) logger.info(`Listening for peers at ${address}`);
    const snapshots = new SnapshotSync(
      { network, config: options.network, database, logger: syncLogger },
      { checkpoint },
    );
    const report = reportPeers(network, peerOptions, logger);
    peers = new Peers(network, scoring, snapshots, database, options.peers, syncLogger, report);
    return peers;
  }

  /** Downloads a snapshot into an empty database. Rejects with the signal's reason. */
  async installSnapshot(signal: AbortSignal): Promise<void> {
    this.logger.info("Snapshot synchronisation: JSON-RPC starts after the snapshot is installed");
    const outcome = await this.snapshots.run(signal);
    if (outcome === "not-needed") this.logger.info("The database already contains a chain, no snapshot is downloaded");
  }

  /** Progress of {@link installSnapshot}, as one line. */
  snapshotText(): string {
    return this.snapshots.text();
  }

  /** Creates synchronisation and gossip on the opened chain; {@link startSync} starts them. */
  attachChain({ chain, pool, onFailure }: AttachedChain): SyncEngine {
    const { network, logger, snapshots, database } = this;
    const { checkpoint, fillsHistory } = this.options;
    const engine = new SyncEngine({ chain, network, logger }, checkpoint === undefined ? {} : { checkpoint });
    const gossip = new GossipService({ chain, pool, network, engine, now: () => Date.now() / 1000, logger });
    const stopping = new AbortController();
    const isBusy = () => engine.isCatchingUp();
    const work = new WorkVerification({ network, config: chain.network, database, logger, isBusy });
    let below = Promise.resolve();
    const lookBelow = async () => {
      try {
        await work.run(stopping.signal);
        if (fillsHistory) await snapshots.fillHistory(stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) onFailure(error as Error);
      }
    };
    this.attached = {
      pool,
      engine,
      start() {
        gossip.start();
        engine.start();
        below = lookBelow();
      },
      async stop() {
        stopping.abort();
        await below;
        await engine.stop();
        await gossip.stop();
      },
    };
    return engine;
  }

  /** Whether blocks are being downloaded that a peer claims to have. */
  isCatchingUp(): boolean {
    return this.attached?.engine.isCatchingUp() ?? false;
  }

  /** Starts synchronisation, gossip, and the verification of blocks below a snapshot. */
  startSync(): void {
    this.attached?.start();
  }

  /** Stops the work of {@link startSync}; peers' requests are still served. */
  async stopSync(): Promise<void> {
    await this.attached?.stop();
  }

  async stop(): Promise<void> {
    await this.network.stop();
    this.report.end();
    this.scoring.close();
  }

  /** Returns advice for operators while there is no peer. */
  advice(): string | undefined {
    return this.report.advice();
  }

  /** Returns the progress of the initial snapshot download, then of synchronisation. */
  progress(): SyncProgress {
    const { attached } = this;
    if (attached !== undefined) return attached.engine.progress();
    const { block = 0, timeLeft } = this.snapshots.progress();
    const peers = this.network.peers().length;
    const speed = { blocksPerSecond: 0, mgasPerSecond: 0 };
    return { phase: "snapshot", current: 0, target: block, ...speed, peers, timeLeft, from: undefined };
  }
}
