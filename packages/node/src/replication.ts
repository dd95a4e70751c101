import { resolve } from "node:path";
import { type BatchLogOptions, BatchLogReader, batchLogMemory } from "@cambium/database";
import {
  CopyPublisher,
  connectionOptions,
  connectTo,
  PoolPublisher,
  Publisher,
  serveRequests,
} from "@cambium/replication";
import type { RpcServer } from "@cambium/rpc";
import type { TransactionPool } from "@cambium/txpool";
import type { Logger } from "pino";
import { NodeError } from "./errors.js";
import type { NodeChain } from "./node-chain.js";
import type { ReplicationOptions } from "./options.js";
import type { Parts } from "./parts.js";

/** What a node with replicas publishes and answers. */
export interface ReplicatedNode {
  chain: NodeChain;
  pool: TransactionPool;
  rpc: Pick<RpcServer, "handleForReplica">;
  /** Whether it downloads the chain: no copy is made then. */
  isFarBehind: () => boolean;
}

/** The log of batches of a node with replicas, which must be open before the chain writes. */
export interface Replication {
  log: BatchLogOptions;
  /** Publishes in the background from now on, and answers replicas; the node goes on if the stream is away. */
  start(source: ReplicatedNode): void;
}

/**
 * Opens the log of a database. Rejects with {@link NodeError} `REPLICATED_SNAPSHOT` if blocks below a snapshot are still to come, which
 * are not logged, or with `ReplicationError` `SERVER_ADDRESS`.
 */
export async function openReplication(
  options: ReplicationOptions,
  database: { location: string; isComplete: boolean },
  parts: Parts,
  logger: Logger,
): Promise<Replication> {
  connectionOptions(options);
  if (!database.isComplete) throw new NodeError({ code: "REPLICATED_SNAPSHOT" });
  const log = { memory: batchLogMemory(), maxBytes: options.maxBacklog };
  const reader = await BatchLogReader.open(resolve(database.location), log);
  parts.add(() => reader.close());
  return {
    log,
    start(source) {
      const stopped = new AbortController();
      const location = resolve(database.location);
      const publishing = publish(options, { ...source, location, reader, logger }, stopped.signal);
      parts.add(() => {
        stopped.abort();
        return publishing;
      });
    },
  };
}

interface PublishingParts extends ReplicatedNode {
  location: string;
  reader: BatchLogReader;
  logger: Logger;
}

async function publish(
  options: ReplicationOptions,
  { chain, pool, rpc, isFarBehind, location, reader, logger }: PublishingParts,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connectTo(options, logger, signal);
  if (connection === undefined) return;
  const { copies, retention, redundancy, stream } = options;
  logger.info({ stream, server: connection.getServer() }, "Publishing batches for replicas");
  serveRequests(connection, options, (text) => rpc.handleForReplica(text), logger);
  const head = () => {
    const { header, hash } = chain.best();
    return { number: header.number, hash };
  };
  const publisher = new Publisher(
    { address: options, connection, log: reader, retention, redundancy, head, logger },
    (error) => {
      logger.error(
        { err: error },
        "Nothing more is published for replicas, the node goes on: another node uses the same stream",
      );
    },
  );
  const isReady = () => !isFarBehind();
  const copier =
    copies && new CopyPublisher({ ...copies, address: options, connection, location, redundancy, isReady, logger });
  const poolPublisher = new PoolPublisher(connection, options, pool);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  poolPublisher.close();
  await copier?.close();
  await publisher.close();
  await connection.close();
}
