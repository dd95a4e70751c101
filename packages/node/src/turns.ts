import { mkdirSync } from "node:fs";
import { prepareDatabase } from "@cambium/chain";
import { databasePath, openLevelDatabase } from "@cambium/database";
import { connectTo, isWriter, Lease, type NatsConnection, ReplicationError, ROLE_CHANGES } from "@cambium/replication";
import type { RpcConfig, ServerAddresses } from "@cambium/rpc";
import type { Logger } from "pino";
import { Monitor } from "./monitoring.js";
import { networkStream } from "./network-stream.js";
import { Node } from "./node.js";
import type { NodeOptions, ReplicationOptions } from "./options.js";
import { fetchDatabase, needsCopy, Replica } from "./replica.js";

/** Listener of the owner of a node that shares a stream. */
export interface TurnListener {
  /** Called when the node is the writer and serves. It serves until the returned promise resolves. */
  writes(node: Node): void;
  /** The node stands by and serves as a replica of the writer. */
  standsBy(addresses: ServerAddresses): void;
  /** The node changes its role, or stops. */
  changes(): void;
}

/** Reason why a role ended: the node stops, now has the other role, or cannot continue. */
type End = { kind: "stop" } | { kind: "elected"; term: number } | { kind: "ended" } | { kind: "failed"; error: Error };

/**
 * Runs a node that publishes in turn with others (`--replicate.standby`). While another node has the lease of the
 * stream, this one applies that node's batches like a replica. When the lease ends, it applies the rest of the stream,
 * opens the same database and executes blocks itself. Resolves when the signal aborts, with the error if the chain
 * fails. Rejects as `Node.start`, `Replica.start` and `fetchDatabase` do.
 */
export async function runInTurn(
  options: NodeOptions & { replication: ReplicationOptions },
  listener: TurnListener,
  logger: Logger,
  signal: AbortSignal,
): Promise<Error | undefined> {
  const monitor = options.metrics && (await Monitor.open(options.metrics, logger, () => "the node changes its role"));
  const ended = new AbortController();
  let connection: NatsConnection | undefined;
  const connecting = connectTo(options.replication, logger, ended.signal).then((connected) => {
    connection = connected;
  });
  const { redundancy } = options.replication;
  const address = networkStream(options.replication, options.network);
  const lease = new Lease({ address, connection: () => connection, redundancy });
  try {
    return await new Turns(options, { lease, monitor, listener, logger, signal }).run();
  } finally {
    await lease.release();
    ended.abort();
    await connecting;
    await connection?.close();
    await monitor?.close();
  }
}

/** Maximum number of unpublished batches of a former writer. With more, its database is replaced. */
const MAX_PARTED = 4_096;

interface TurnParts {
  lease: Lease;
  monitor: Monitor | undefined;
  listener: TurnListener;
  logger: Logger;
  signal: AbortSignal;
}

class Turns {
  /** Configuration of JSON-RPC, with the ports that were free when the node first served. */
  private rpc: RpcConfig;

  constructor(
    private readonly options: NodeOptions & { replication: ReplicationOptions },
    private readonly parts: TurnParts,
  ) {
    this.rpc = options.rpc;
  }

  async run(): Promise<Error | undefined> {
    await createDatabase(this.options);
    for (let end: End = { kind: "ended" }; ; ) {
      if (end.kind === "stop") return undefined;
      if (end.kind === "failed") return end.error;
      end = end.kind === "elected" ? await this.write(end.term) : await this.standBy();
      this.parts.listener.changes();
    }
  }

  /**
   * Stands by until the node has begun a term. Also ends if its database cannot follow the stream and there is no copy
   * of the writer's.
   */
  private async standBy(): Promise<End> {
    const { options } = this;
    const { lease, monitor, listener, logger, signal } = this.parts;
    const { replication } = options;
    const { retention, redundancy } = replication;
    const { promise: elected, resolve: elect } = deferred();
    const candidacy = { lease, retention, redundancy, elected: (term: number) => elect({ kind: "elected", term }) };
    const own = { ...options, rpc: this.rpc, from: replication, candidacy };
    const replica = await Replica.start(own, logger, monitor);
    this.served(replica.addresses);
    listener.standsBy(replica.addresses);
    const end = await Promise.race([elected, failure(replica.failed), stopped(signal)]);
    monitor?.show(undefined);
    await replica.stop();
    if (end.kind !== "failed" || !needsCopy(end.error) || isFarAhead(end.error, replica.latestBatch)) return end;
    await lease.release();
    logger.warn(
      { err: end.error },
      "This database is not the one that the stream continues: fetching a copy of the writer's",
    );
    return (await fetchDatabase({ ...options, rpc: this.rpc, from: replication }, logger, signal))
      ? { kind: "ended" }
      : { kind: "stop" };
  }

  /** Writes until another node has begun a term. */
  private async write(term: number): Promise<End> {
    const { options } = this;
    const { lease, monitor, listener, logger, signal } = this.parts;
    const { promise: ended, resolve: end } = deferred();
    const lose = () => end({ kind: "ended" });
    lease.lost = lose;
    if (!lease.isHeld) return { kind: "ended" };
    const replication = { ...options.replication, term: { number: term, ended: lose } };
    logger.info({ term }, "This node is the writer of the stream now");
    const node = await Node.start({ ...options, rpc: this.rpc, replication }, logger, signal, { monitor });
    if (node === undefined) return { kind: "stop" };
    isWriter.set(1);
    ROLE_CHANGES.add();
    this.served(node.addresses);
    listener.writes(node);
    const reason = await Promise.race([ended, failure(node.failed), stopped(signal)]);
    monitor?.show(undefined);
    await node.stop();
    isWriter.set(0);
    ROLE_CHANGES.add();
    await lease.release();
    if (reason.kind === "ended") logger.warn({ term }, "This node is no longer the writer of the stream");
    return reason;
  }

  private served({ port, ws }: ServerAddresses): void {
    const { rpc } = this;
    this.rpc = { ...rpc, http: { ...rpc.http, port }, ws: { ...rpc.ws, port: ws?.port ?? rpc.ws.port } };
  }
}

/** Creates a database with the genesis block, like that of any other node. */
async function createDatabase({
  network,
  dataDir,
  state,
}: Pick<NodeOptions, "network" | "dataDir" | "state">): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = await openLevelDatabase(databasePath(dataDir), { create: true });
  try {
    await prepareDatabase({ network, database, stateLayout: state?.layout });
  } finally {
    await database.close();
  }
}

/** Whether the stream is so far behind this database that another writer must have begun it. */
function isFarAhead(error: Error, latest: number): boolean {
  if (!(error instanceof ReplicationError) || error.details.code !== "OTHER_DATABASE") return false;
  return latest - error.details.sequence > MAX_PARTED;
}

function deferred(): { promise: Promise<End>; resolve: (end: End) => void } {
  let resolve: (end: End) => void = () => undefined;
  const promise = new Promise<End>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function failure(failed: Promise<Error>): Promise<End> {
  return { kind: "failed", error: await failed };
}

function stopped(signal: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const stop = () => resolve({ kind: "stop" });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
