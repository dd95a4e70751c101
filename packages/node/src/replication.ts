import { resolve } from "node:path";
import { type BatchLogOptions, BatchLogReader, batchLogMemory } from "@cambium/database";
import {
  CopyPublisher,
  connectionOptions,
  connectTo,
  type Head,
  PoolPublisher,
  Publisher,
  type SealedStream,
  serveRequests,
} from "@cambium/replication";
import type { RpcServer } from "@cambium/rpc";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import { NodeError } from "./errors.js";
import { networkStream } from "./network-stream.js";
import type { NodeChain } from "./node-chain.js";
import type { ReplicationOptions } from "./options.js";
import type { Parts } from "./parts.js";

/** The node whose batches are published, and which answers replicas. */
export interface ReplicatedNode {
  chain: NodeChain;
  pool: TransactionPool;
  rpc: Pick<RpcServer, "handleForReplica">;
  /** Whether the node downloads the chain; no copy is made during that time. */
  isFarBehind: () => boolean;
}

/** The log of batches of a node with replicas, which must be opened before the chain writes. */
export interface Replication {
  log: BatchLogOptions;
  /** Starts to publish in the background, and to answer replicas. The node continues if the stream is unavailable. */
  start(source: ReplicatedNode): void;
}

/** Milliseconds in which a stopping node publishes its last batches. */
const FINISH_TIME = 5_000;

/**
 * Opens the log of a database, before the chain: publishing ends after the chain is closed. Rejects with
 * {@link NodeError} `REPLICATED_SNAPSHOT` if blocks below a snapshot are missing, which are not logged, or with
 * `ReplicationError` `SERVER_ADDRESS`.
 */
export async function openReplication(
  options: ReplicationOptions,
  database: { location: string; isComplete: boolean },
  parts: Parts,
  logger: Logger,
): Promise<Replication> {
  connectionOptions(options);
  if (!database.isComplete) throw new NodeError({ code: "REPLICATED_SNAPSHOT" });
  const location = resolve(database.location);
  const log = { memory: batchLogMemory(), maxBytes: options.maxBacklog };
  const reader = await BatchLogReader.open(location, log);
  parts.add(() => reader.close());
  let publishing: Publishing | undefined;
  parts.add(() => publishing?.finish());
  return {
    log,
    start(source) {
      const address = networkStream(options, source.chain.network);
      const started = new Publishing(options, { ...source, address, location, reader, logger });
      publishing = started;
      parts.add(() => started.leaveChain());
    },
  };
}

interface PublishingParts extends ReplicatedNode {
  address: SealedStream;
  location: string;
  reader: BatchLogReader;
  logger: Logger;
}

/** The connection of a writer to its replicas. */
class Publishing {
  private readonly stopped = new AbortController();
  private readonly opening: Promise<void>;
  private connection: Awaited<ReturnType<typeof connectTo>>;
  private publisher: Publisher | undefined;
  private copier: CopyPublisher | undefined;
  private pool: PoolPublisher | undefined;
  private requests: { unsubscribe(): void } | undefined;
  /** Returns the best block, which is read from the chain until it is closed. */
  private head: () => Head;

  constructor(
    private readonly options: ReplicationOptions,
    private readonly parts: PublishingParts,
  ) {
    this.head = () => {
      const { header, hash } = parts.chain.best();
      return { number: header.number, hash };
    };
    this.opening = this.open();
  }

  /** Prepares for the close of the chain: ends all work except the publishing of batches. */
  async leaveChain(): Promise<void> {
    const head = this.head();
    this.head = () => head;
    this.stopped.abort();
    await this.opening;
    this.requests?.unsubscribe();
    this.pool?.close();
    await this.copier?.close();
  }

  /** Resolves when the last batches are published, if NATS can be reached. */
  async finish(): Promise<void> {
    await this.publisher?.finish(FINISH_TIME);
    await this.publisher?.close();
    await this.connection?.close();
  }

  private async open(): Promise<void> {
    const { options } = this;
    const { address, pool, rpc, isFarBehind, location, reader, logger } = this.parts;
    const connection = await connectTo(options, logger, this.stopped.signal);
    if (connection === undefined) return;
    this.connection = connection;
    const { copies, retention, redundancy, stream, term } = options;
    logger.info({ stream, server: connection.getServer() }, "Publishing batches for replicas");
    this.requests = serveRequests(connection, address, (text) => rpc.handleForReplica(text), logger);
    const head = () => this.head();
    const about = { address, connection, log: reader, retention, redundancy, head, term: term?.number ?? 0 };
    this.publisher = new Publisher({ ...about, logger }, (error) => this.failed(error));
    const isReady = () => !isFarBehind();
    this.copier =
      copies && new CopyPublisher({ ...copies, address, connection, location, redundancy, isReady, logger });
    this.pool = new PoolPublisher(connection, address, pool);
  }

  private failed(error: Error): void {
    const { term } = this.options;
    const { logger } = this.parts;
    if (term === undefined) {
      const text = "Nothing more is published for replicas, the node goes on: another node uses the same stream";
      logger.error({ err: error }, text);
      return;
    }
    logger.warn({ err: error }, "Another node has become the writer of the stream");
    term.ended();
  }
}
