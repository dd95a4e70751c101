import { ClientBudget, createHub, type Deliver, hubNews, METHODS, type SubscriptionHub } from "@cambium/api";
import { AnsweringChain, type LastingParts, pendingSource, type ServerKind } from "./answering-chain.js";
import { changeServing, type ServingChanges } from "./config.js";
import type { ReplicaServerOptions, RpcServer, RpcServerOptions, ServedChain, ServerAddresses } from "./interface.js";
import { KeyFollower } from "./keys/key-follower.js";
import { Listeners } from "./listeners.js";
import { ProgramConnection } from "./program-connection.js";
import { ClientRateLimiter } from "./rate-limit/client-rate-limiter.js";
import { PENDING_ELSEWHERE } from "./replicas/absent-parts.js";
import { ForwardedWork } from "./replicas/forwarded-work.js";
import { mirroredPool } from "./replicas/mirrored-pool.js";
import { REPLICA_METHODS } from "./replicas/replica-methods.js";
import { WriterForwarding } from "./replicas/writer-forwarding.js";
import type { Dispatcher } from "./requests/interface.js";
import { threadConfig } from "./thread-config.js";
import { UsageMeter } from "./usage/usage-meter.js";
import type { UsageTable } from "./usage/usage-table.js";
import { UsageTotals } from "./usage/usage-totals.js";

/** Creates the JSON-RPC server for HTTP and WebSocket. Throws {@link RpcServerError} `INVALID_CONFIGURATION`. */
export function createRpcServer(options: RpcServerOptions): RpcServer {
  return new Server(options, { methods: METHODS });
}

/**
 * Like {@link createRpcServer}, for a replica: it forwards requests that need pending states or block templates to its
 * writer.
 */
export function createReplicaServer({ request, pool, ...options }: ReplicaServerOptions): RpcServer {
  const writer = new WriterForwarding(request, options.logger);
  const parts = { ...options, ...PENDING_ELSEWHERE, pool: mirroredPool(pool) };
  return new Server(parts, { methods: REPLICA_METHODS, work: new ForwardedWork(request), writer });
}

class Server implements RpcServer {
  private readonly lasting: LastingParts;
  private answering: AnsweringChain;
  private readonly dispatcher: Dispatcher;
  private readonly hub: SubscriptionHub;
  private readonly limiter: ClientRateLimiter;
  private readonly listeners: Listeners;
  /** Follower of the keys of a Redis server, and the totals that the server keeps. */
  private readonly keys: KeyFollower | undefined;
  private readonly totals: UsageTotals | undefined;
  private closing: Promise<void> | undefined;

  constructor(options: RpcServerOptions, kind: ServerKind) {
    const { events, pool, sync, logger } = options;
    const config = threadConfig(options.config, options.miner !== undefined);
    const budget = new ClientBudget(config.filters.maxBytes);
    const usage = new UsageMeter();
    this.lasting = { options, kind, config, budget, usage };
    this.answering = new AnsweringChain(options, this.lasting);
    this.hub = createHub({ ...this.answering, config, budget }, this.answering.sources);
    this.dispatcher = options.replaceChain === undefined ? this.answering.dispatcher : this.replaceable();
    this.limiter = new ClientRateLimiter(config.rateLimit, logger);
    const sources = { events, pendingTransactions: pendingSource(pool), sync, work: options.miner };
    const { dispatcher, hub, limiter } = this;
    const isReplica = kind.writer !== undefined;
    const parts = { config, dispatcher, hub, limiter, usage, logger, sources, isReplica };
    this.listeners = new Listeners(parts, options);
    const { redis } = config.auth;
    if (redis === undefined) return;
    this.keys = new KeyFollower(redis, (managedKeys) => this.change({ managedKeys }), logger);
    this.totals = new UsageTotals(redis, usage.table(), logger);
  }

  async listen(): Promise<ServerAddresses> {
    try {
      await Promise.all([this.limiter.open(), this.keys?.open(), this.totals?.open()]);
      return await this.listeners.listen();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  serve(served: ServedChain): Promise<void> {
    const { config } = this.lasting;
    const last = this.answering;
    this.answering = new AnsweringChain(served, this.lasting, last.feed.sequence);
    this.hub.follow(hubNews({ ...this.answering, config }, this.answering.sources));
    last.close();
    return last.answered(config.http.closeTimeout);
  }

  handle(request: unknown): Promise<unknown> {
    return this.dispatcher.handle(request);
  }

  connect(deliver: Deliver): ProgramConnection {
    return new ProgramConnection(this.dispatcher, this.hub, this.lasting.config.ws, deliver);
  }

  handleForReplica(text: string): Promise<string | undefined> {
    return this.answering.handleForReplica(text);
  }

  change(changes: ServingChanges): void {
    changeServing(this.lasting.config, changes);
    this.listeners.changed(changes);
  }

  logLevelsChanged(): void {
    this.listeners.logLevelsChanged();
  }

  usage(): UsageTable {
    return this.lasting.usage.table();
  }

  /** Returns a dispatcher that passes each request to the chain served at that moment. */
  private replaceable(): Dispatcher {
    return {
      handle: (request) => this.answering.handle((one) => one.handle(request)),
      handleText: (text, caller) => this.answering.handle((one) => one.handleText(text, caller)),
    };
  }

  private async closeAll(): Promise<void> {
    await Promise.all([this.listeners.close(), this.keys?.close()]);
    for (const part of [this.hub, this.answering]) part.close();
    await Promise.all([this.limiter.close(), this.totals?.close()]);
  }
}
