import { mkdirSync } from "node:fs";
import { openReader, ReplicaChain } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import {
  BatchFollower,
  BatchLogReader,
  batchLogMemory,
  DatabaseError,
  databasePath,
  openLevelDatabase,
} from "@cambium/database";
import { toData } from "@cambium/primitives";
import {
  type BatchStreamOptions,
  Candidate,
  connectionOptions,
  connectTo,
  fetchCopy,
  type Lease,
  PoolMirror,
  ReplicationError,
  requestFailure,
  type SealedStream,
  Subscriber,
  WriterRequests,
} from "@cambium/replication";
import { createReplicaServer, type RpcConfig, type ServerAddresses } from "@cambium/rpc";
import type { Logger } from "pino";
import { createExecutor } from "./executor.js";
import type { Health } from "./health.js";
import { clientVersion, type Monitor, startMonitoring } from "./monitoring.js";
import { networkStream } from "./network-stream.js";
import { HEAD_WAIT, type KeyedStream, type MetricsOptions, type UsageOptions } from "./options.js";
import { Parts } from "./parts.js";
import { showStart } from "./preparation.js";
import { reportChain } from "./reports/chain-report.js";
import { watchResources } from "./reports/resource-watch.js";
import { publishUsage } from "./usage.js";

export { Monitor } from "./monitoring.js";

export interface ReplicaOptions {
  network: NetworkConfig;
  /** Folder with a copy of the writer's database. */
  dataDir: string;
  /** The stream of its writer. */
  from: KeyedStream;
  rpc: RpcConfig;
  metrics?: MetricsOptions | undefined;
  /** Publishing of usage; undefined: the usage of API keys is not published. */
  usage?: UsageOptions | undefined;
  /** Result of `web3_clientVersion` instead of the usual one. */
  clientVersion?: string | undefined;
  /** `<Name>/<version>`, the beginning of the result of `web3_clientVersion`. */
  version: string;
  /** Candidacy for the role of the writer; undefined: the replica never becomes the writer. */
  candidacy?: Candidacy | undefined;
}

/** Options of a replica that competes for the role of the writer. */
export interface Candidacy extends Pick<BatchStreamOptions, "retention" | "redundancy"> {
  lease: Lease;
  /**
   * Called with the number of the term that the replica has begun. The replica should then be stopped, and a node
   * started on its database.
   */
  elected: (term: number) => void;
}

/**
 * Fetches the copy of the writer's database from the object store of its NATS servers. The copy becomes the replica's
 * database, or replaces it. Meanwhile, a page at the address of JSON-RPC shows the progress. Resolves to false if the
 * signal aborts first. Rejects as `fetchCopy` and `showStart` do.
 */
export async function fetchDatabase(
  { network, dataDir, from, rpc }: Pick<ReplicaOptions, "network" | "dataDir" | "from" | "rpc">,
  logger: Logger,
  signal: AbortSignal,
  onProgress: (text: string) => void = () => undefined,
): Promise<boolean> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = logger.child({ package: "replica" });
  const address = networkStream(from, network);
  let progress = "";
  const show = (text: string) => {
    progress = text;
    onProgress(text);
  };
  show("connecting to the NATS servers of the writer");
  const page = await showStart(rpc, () => progress, log);
  try {
    const connection = await connectTo(address, log, signal);
    if (connection === undefined) return false;
    const close = () => void connection.close();
    signal.addEventListener("abort", close, { once: true });
    const location = databasePath(dataDir);
    return await fetchCopy({ connection, address, location, logger: log, onProgress: show }, signal).finally(() => {
      signal.removeEventListener("abort", close);
      return connection.close();
    });
  } finally {
    await page.close();
  }
}

/** Whether a failed replica can continue with a new copy of the writer's database. */
export function needsCopy(failure: Error): boolean {
  return failure instanceof ReplicationError && ["BATCHES_MISSING", "OTHER_DATABASE"].includes(failure.code);
}

/** Milliseconds within which the writer must answer a request: `eth_sendRawTransactionSync` waits for a block. */
const REQUEST_TIMEOUT = 60_000;

/**
 * A running replica. It applies the batches that a writer publishes to a copy of the database, and serves JSON-RPC from
 * it. It executes no blocks, and forwards requests that need the pool to the writer.
 */
export class Replica {
  private constructor(
    readonly chain: ReplicaChain,
    readonly addresses: ServerAddresses,
    /**
     * Resolves with the error if no more batches can be applied; the owner should then stop the replica. Never rejects.
     */
    readonly failed: Promise<Error>,
    private readonly follower: BatchFollower,
    private readonly parts: Parts,
    private readonly logger: Logger,
  ) {}

  /** Sequence number of the latest batch in the database. */
  get latestBatch(): number {
    return this.follower.last.sequence;
  }

  /**
   * Opens the database and serves it, even if the stream is unreachable. Rejects with `DatabaseError`, `ChainError`,
   * `ReplicationError`, `NodeError` or `RpcError`.
   */
  static async start(options: ReplicaOptions, logger: Logger, monitor?: Monitor): Promise<Replica> {
    const parts = new Parts();
    try {
      return await Replica.open(options, { parts, logger, monitor });
    } catch (error) {
      await parts.stop();
      throw error;
    }
  }

  private static async open(options: ReplicaOptions, surroundings: Surroundings): Promise<Replica> {
    const { parts, logger } = surroundings;
    const { network, dataDir } = options;
    const from = networkStream(options.from, network);
    connectionOptions(from);
    const location = databasePath(dataDir);
    const database = await openLevelDatabase(location);
    parts.add(() => database.close());
    parts.add(watchResources(dataDir, logger));
    let fail: (error: Error) => void = () => undefined;
    const failed = new Promise<Error>((resolve) => {
      fail = (error) => {
        logger.fatal({ err: error }, "Applying batches failed, the replica must stop");
        resolve(error);
      };
    });
    const reader = openReader({ network, database });
    const { metrics: _, health } = await startMonitoring(options, reader, surroundings);
    void failed.then((error) => health.fails(error));
    const onListenerError = (error: unknown) => {
      if (error instanceof DatabaseError) fail(error);
      else logger.error({ err: error }, "Chain event listener failed");
    };
    const chain = await ReplicaChain.open({ network, location, onListenerError });
    parts.add(() => chain.close());
    const { header, hash } = chain.best();
    logger.info({ number: header.number, hash: toData(hash) }, "Chain opened");
    parts.add(reportChain(chain, () => false, logger.child({ package: "chain" })));
    const follower = await BatchFollower.open(location, fail);
    parts.add(() => follower.close());
    const heavy = createExecutor(options, chain, location);
    parts.add(() => heavy.close());
    const { candidacy } = options;
    const linkLogger = logger.child({ package: "replica" });
    const link = new WriterLink({ chain, follower, from, location, health, candidacy, fail, logger: linkLogger });
    const rpc = createReplicaServer({
      chain,
      events: chain,
      pool: link.pool,
      heavy,
      config: { ...options.rpc, headWait: HEAD_WAIT },
      readiness: () => health.readiness(),
      location,
      request: (text) =>
        link.requests.request(text, REQUEST_TIMEOUT).catch((cause: unknown) => {
          throw new Error(requestFailure(cause), { cause });
        }),
      clientVersion: options.clientVersion ?? clientVersion(options.version),
      logger: logger.child({ package: "rpc" }),
    });
    if (options.usage !== undefined) publishUsage(options.usage, rpc, parts, logger.child({ package: "rpc" }));
    const addresses = await rpc.listen();
    parts.add(() => rpc.close());
    link.open();
    parts.add(() => link.close());
    health.serves();
    return new Replica(chain, addresses, failed, follower, parts, logger);
  }

  /** Stops all parts, after requests and writes in progress. */
  async stop(): Promise<void> {
    await this.parts.stop();
    this.logger.info("Replica stopped");
  }
}

interface Surroundings {
  parts: Parts;
  logger: Logger;
  monitor: Monitor | undefined;
}

interface LinkParts {
  chain: ReplicaChain;
  follower: BatchFollower;
  from: SealedStream;
  location: string;
  health: Health;
  candidacy: Candidacy | undefined;
  fail: (error: Error) => void;
  logger: Logger;
}

/** The connection of a replica to its writer. */
class WriterLink {
  readonly requests: WriterRequests;
  readonly pool = new PoolMirror();
  private readonly stopped = new AbortController();
  private connection: Awaited<ReturnType<typeof connectTo>>;
  private subscriber: Subscriber | undefined;
  private candidate: Candidate | undefined;
  private opening: Promise<void> = Promise.resolve();

  constructor(private readonly parts: LinkParts) {
    this.requests = new WriterRequests(() => this.connection, parts.from);
    parts.health.addWriter(() => this.subscriber?.lag() ?? { target: 0, silence: undefined, isForeign: false });
  }

  /** Connects in the background. */
  open(): void {
    this.opening = this.connect();
  }

  async close(): Promise<void> {
    this.stopped.abort();
    await this.opening;
    await this.candidate?.close();
    await Promise.all([this.subscriber?.close(), this.pool.close()]);
    await this.connection?.close();
  }

  private async connect(): Promise<void> {
    const { chain, follower, from, candidacy, fail, logger } = this.parts;
    this.connection = await connectTo(from, logger, this.stopped.signal);
    if (this.connection === undefined) return;
    logger.info({ stream: from.stream, server: this.connection.getServer() }, "Following the writer's batches");
    const best = () => {
      const { header, hash } = chain.best();
      return { number: header.number, hash };
    };
    const { connection } = this;
    const apply = ({ packed }: { packed: Uint8Array }, write: () => Promise<void>) => chain.apply(packed, write);
    this.pool.follow(connection, from, logger);
    const subscriber = new Subscriber({ address: from, connection, follower, apply, best, logger }, fail);
    this.subscriber = subscriber;
    if (candidacy === undefined) return;
    const firstLogged = () => this.firstLogged();
    const options = { ...candidacy, address: from, connection, subscriber, follower, firstLogged, head: best, logger };
    this.candidate = new Candidate(options, candidacy.elected);
  }

  private async firstLogged(): Promise<number | undefined> {
    const reader = await BatchLogReader.open(this.parts.location, { memory: batchLogMemory() });
    try {
      return reader.first(0)?.sequence;
    } finally {
      await reader.close();
    }
  }
}
