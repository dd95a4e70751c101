import { join } from "node:path";
import { SnapshotServer, type StoredChainReader, type ThreadedChain } from "@cambium/chain";
import type { Database } from "@cambium/database";
import { openNetwork, openPeerScoring, type RunningNetwork } from "@cambium/networking";
import { GossipService, SnapshotSync, SyncEngine, type SyncProgress, trackImports } from "@cambium/sync";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import type { NodeOptions, PeerOptions } from "./options.js";

/** What peers are answered from, and where a snapshot goes. */
export interface PeerSources {
  /** Reads what is on disk, whichever thread wrote it. */
  reader: StoredChainReader;
  database: Database;
}

/** Where blocks and transactions come from and go to. */
export interface Exchanged {
  chain: ThreadedChain;
  pool: TransactionPool;
  /** Told once when the blocks below a snapshot prove it wrong, or cannot be written. */
  onFailure: (error: Error) => void;
}

/**
 * Everything that has to do with other nodes. They are met and answered before there is a chain that imports, because a
 * snapshot may have to come first.
 */
export class Peers {
  private exchanging: { pool: TransactionPool; engine: SyncEngine; start(): void; stop(): Promise<void> } | undefined;

  private constructor(
    readonly network: RunningNetwork,
    readonly scoring: ReturnType<typeof openPeerScoring>,
    readonly snapshots: SnapshotSync,
    private readonly options: PeerOptions,
    private readonly logger: Logger,
  ) {}

  /** Meets other nodes, without asking them for anything yet. Rejects with `NetworkingError`. */
  static async meet(
    options: NodeOptions & { peers: PeerOptions },
    { reader, database }: PeerSources,
    logger: Logger,
  ): Promise<Peers> {
    const { checkpoint, syncMode: _, ...peerOptions } = options.peers;
    const folder = join(options.dataDir, "network");
    const scoring = openPeerScoring({ ...peerOptions, folder, now: Date.now, logger });
    let peers: Peers | undefined;
    const sources = {
      chain: reader,
      pooledTransaction: (hash: Uint8Array) => peers?.exchanging?.pool.get(hash)?.transaction.encoded,
      earliestBody: () => reader.earliestBlock(),
      snapshots: peerOptions.servesSnapshots ? new SnapshotServer(reader, database) : undefined,
    };
    const networking = { ...peerOptions, network: options.network, folder, clientId: options.version };
    const network = await openNetwork(networking, { sources, scoring, logger }).catch((error) => {
      scoring.close();
      throw error;
    });
    for (const address of network.listenAddresses()) logger.info(`Other nodes reach this one at ${address}`);
    if (peerOptions.bootNodes.length === 0)
      logger.info("No boot nodes: only who calls, or is known from before, is met");
    const snapshots = new SnapshotSync({ network, config: options.network, database, logger }, { checkpoint });
    peers = new Peers(network, scoring, snapshots, options.peers, logger);
    return peers;
  }

  /** Begins the chain with a snapshot, if that is wanted and there is none yet. Rejects with the signal's reason. */
  async beginChain(signal: AbortSignal): Promise<void> {
    if (this.options.syncMode !== "snapshot") return;
    this.logger.info("JSON-RPC is served as soon as the chain has begun");
    const outcome = await this.snapshots.run(signal);
    if (outcome === "not-needed") this.logger.info("There is a chain here already: no snapshot is needed");
  }

  /** Prepares synchronisation and gossip; {@link start} begins with them. */
  exchange({ chain: ownChain, pool, onFailure }: Exchanged): SyncEngine {
    const { network, logger, snapshots } = this;
    const { checkpoint } = this.options;
    const chain = trackImports(ownChain);
    const engine = new SyncEngine({ chain, network, logger }, checkpoint === undefined ? {} : { checkpoint });
    const gossip = new GossipService({ chain, pool, network, engine, now: () => Date.now() / 1000, logger });
    const stopping = new AbortController();
    let history = Promise.resolve();
    const fillHistory = async () => {
      try {
        await snapshots.fillHistory(stopping.signal);
      } catch (error) {
        if (!stopping.signal.aborted) onFailure(error as Error);
      }
    };
    this.exchanging = {
      pool,
      engine,
      start() {
        gossip.start();
        engine.start();
        history = fillHistory();
      },
      async stop() {
        stopping.abort();
        await history;
        await engine.stop();
        await gossip.stop();
      },
    };
    return engine;
  }

  /** Begins to ask, to listen to what is gossiped, and to fetch what is missing below a snapshot. */
  start(): void {
    this.exchanging?.start();
  }

  /** Ends what {@link start} began; others are still answered. */
  async leaveExchange(): Promise<void> {
    await this.exchanging?.stop();
  }

  async stop(): Promise<void> {
    await this.network.stop();
    this.scoring.close();
  }

  /** Of the synchronisation; of the snapshot while that comes first. */
  progress(): SyncProgress {
    const { exchanging } = this;
    if (exchanging !== undefined) return exchanging.engine.progress();
    const { block = 0, timeLeft } = this.snapshots.progress();
    const peers = this.network.peers().length;
    return { phase: "snapshot", current: 0, target: block, blocksPerSecond: 0, peers, timeLeft, from: undefined };
  }
}
