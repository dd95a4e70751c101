import {
  type ChainEventSource,
  ChainFeed,
  ClientBudget,
  createHub,
  FilterRegistry,
  type HeavyExecutor,
  hubNews,
  METHODS,
  type MethodDefinition,
  type NewsSources,
  type OptionalParts,
  type PeerSource,
  type PendingEventSource,
  type SyncStatusSource,
  type WorkEventSource,
} from "@cambium/api";
import type { ChainReader } from "@cambium/chain";
import type { Logger } from "@cambium/primitives";
import type { TransactionPoolApi } from "@cambium/txpool";
import { changeServing, type RpcConfig, type ServingChanges } from "./config.js";
import { createBudgets } from "./connections/client-connection.js";
import { RpcServerError } from "./errors.js";
import { headTokens } from "./http/head-tokens.js";
import { HttpServer } from "./http/http-server.js";
import type { ListeningAddress } from "./http/listener.js";
import { KeyFollower } from "./keys/key-follower.js";
import { ClientRateLimiter } from "./rate-limit/client-rate-limiter.js";
import { ReaderPool, type ReaderPoolOptions } from "./readers/reader-pool.js";
import { PENDING_ELSEWHERE } from "./replicas/absent-parts.js";
import { ForwardedWork } from "./replicas/forwarded-work.js";
import { type MirroredPool, mirroredPool } from "./replicas/mirrored-pool.js";
import { METHODS_FOR_REPLICAS, REPLICA_METHODS } from "./replicas/replica-methods.js";
import { WriterForwarding, type WriterRequest } from "./replicas/writer-forwarding.js";
import { createDispatcher, type Dispatcher } from "./requests/dispatcher.js";
import { UsageMeter } from "./usage/usage-meter.js";
import type { UsageTable } from "./usage/usage-table.js";
import { UsageTotals } from "./usage/usage-totals.js";
import { WsServer } from "./ws/ws-server.js";

/** A chain, and what belongs to it. */
export interface ServedChain
  extends Pick<OptionalParts, "miner" | "localMiner" | "pendingBlock" | "pendingGasLimit" | "pendingState"> {
  chain: ChainReader;
  /** Whether the chain can accept no more blocks: from then on, every request fails. */
  hasFailed?: () => boolean;
  /** Events for filters and subscriptions; undefined for a chain that does not change. */
  events?: ChainEventSource;
  pool: TransactionPoolApi;
  /** Undefined for a node that does not synchronise. */
  sync?: SyncStatusSource;
  /** Executor of heavy work; by default, the main thread. */
  heavy?: HeavyExecutor;
}

export interface RpcServerOptions extends OptionalParts, ServedChain {
  config: RpcConfig;
  /** Directory of the chain's database, for reader threads. */
  location?: string;
  /** Result of `web3_clientVersion`: `<Name>/<version>/<os>/<runtime>/<modifier>-<build>`. */
  clientVersion: string;
  logger: Logger;
  /** Undefined for a node without peers. */
  peers?: PeerSource;
  /** Number of queued peer messages. */
  waitingPeerMessages?: () => number;
}

/** Addresses of HTTP and of WebSocket, which is undefined if it is disabled. */
export interface ServerAddresses extends ListeningAddress {
  ws: ListeningAddress | undefined;
}

export interface RpcServer {
  /** Starts the listeners. Rejects with {@link RpcServerError} `LISTEN_FAILED` or `INVALID_CONFIGURATION`. */
  listen(): Promise<ServerAddresses>;
  /** Closes the listeners after waiting up to `config.http.closeTimeout` for in-flight requests. */
  close(): Promise<void>;
  /**
   * Serves another chain from now on: subscriptions go on, filters end. Resolves when the requests about the present
   * one are answered, or after `config.http.closeTimeout`. Not with reader threads.
   */
  serve(served: ServedChain): Promise<void>;
  /** Handles a request object or batch without a listener; undefined if it held only notifications. Never rejects. */
  handle(request: unknown): Promise<unknown>;
  /**
   * Handles the text of a request that a replica forwards: only methods that replicas may ask for exist. Resolves to
   * undefined for a notification. Never rejects.
   */
  handleForReplica(text: string): Promise<string | undefined>;
  /** Changes what can change while the server runs, in all its threads. */
  change(changes: ServingChanges): void;
  /** The logger may have another level. */
  logLevelsChanged(): void;
  /** A table that receives what API keys use from now on, and must be emptied regularly. */
  usage(): UsageTable;
}

/** See {@link createReplicaServer}. */
export interface ReplicaServerOptions extends Omit<RpcServerOptions, "pool" | keyof OptionalParts> {
  request: WriterRequest;
  /** The mirror of the writer's pool. */
  pool: MirroredPool;
}

/** Creates the JSON-RPC server for HTTP and WebSocket. Throws {@link RpcServerError} `INVALID_CONFIGURATION`. */
export function createRpcServer(options: RpcServerOptions): RpcServer {
  return createServer(options, { methods: METHODS });
}

/**
 * As {@link createRpcServer}, for a replica: it forwards to its writer what needs pending states or block templates.
 */
export function createReplicaServer({ request, pool, ...options }: ReplicaServerOptions): RpcServer {
  const writer = new WriterForwarding(request, options.logger);
  const parts = { ...options, ...PENDING_ELSEWHERE, pool: mirroredPool(pool) };
  return createServer(parts, { methods: REPLICA_METHODS, work: new ForwardedWork(request), writer });
}

/** What differs between nodes and replicas. */
interface ServerKind {
  methods: readonly MethodDefinition[];
  /** Work of the writer, for subscribers in the main thread. */
  work?: WorkEventSource;
  writer?: WriterForwarding;
}

function createServer(options: RpcServerOptions, kind: ServerKind): RpcServer {
  const { events, pool, sync, logger } = options;
  const config = shareOfBounds(ownCopy(options.config));
  const budget = new ClientBudget(config.filters.maxBytes);
  const usage = new UsageMeter();
  let answering = new AnsweringChain(options, options, kind, config, budget, usage);
  const hub = createHub({ ...answering, config, budget }, answering.sources);
  const replaceable: Dispatcher = {
    handle: (request) => answering.handle((one) => one.handle(request)),
    handleText: (text, caller) => answering.handle((one) => one.handleText(text, caller)),
  };
  const dispatcher = options.replaceChain === undefined ? answering.dispatcher : replaceable;
  const limiter = new ClientRateLimiter(config.rateLimit, logger);
  const budgets = createBudgets(config.connections);
  const sources = { events, pendingTransactions: pendingSource(pool), sync, work: options.miner };
  const tokens = headTokens(config, options.chain);
  const http =
    config.readers > 0
      ? new ReaderPool(readerOptions(options, kind, config), sources, { dispatcher, limiter, usage, logger })
      : new HttpServer(config, dispatcher, limiter, budgets, logger, undefined, tokens);
  const wsParts = { config, budgets, dispatcher, hub, limiter, usage, headTokens: tokens, logger };
  const shared = http instanceof HttpServer ? http : undefined;
  const ws = config.ws.enabled ? new WsServer(wsParts, { http: shared, own: true }) : undefined;
  const change = (changes: ServingChanges): void => {
    changeServing(config, changes);
    if (http instanceof ReaderPool) http.changed(changes);
    if (changes.apiKeys === undefined && changes.managedKeys === undefined) return;
    shared?.keysChanged();
    ws?.keysChanged();
  };
  const { redis } = config.auth;
  const keys =
    redis === undefined ? undefined : new KeyFollower(redis, (managedKeys) => change({ managedKeys }), logger);
  const totals = redis === undefined ? undefined : new UsageTotals(redis, usage.table(), logger);
  const listen = async (): Promise<ServerAddresses> => {
    await Promise.all([limiter.open(), keys?.open(), totals?.open()]);
    const address = await http.listen();
    logger.info(address, "JSON-RPC server listening for HTTP");
    const wsAddress = ws && ((await ws.listen()) ?? address);
    if (wsAddress !== undefined) logger.info(wsAddress, "JSON-RPC server listening for WebSocket");
    return { ...address, ws: wsAddress };
  };
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.all([http.close(), ws?.close(), keys?.close()]);
    for (const part of [hub, answering]) part.close();
    await Promise.all([limiter.close(), totals?.close()]);
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  return {
    listen: () =>
      listen().catch(async (error) => {
        await close();
        throw error;
      }),
    close,
    serve(served) {
      const last = answering;
      answering = new AnsweringChain(served, options, kind, config, budget, usage, last.feed.sequence);
      hub.follow(hubNews({ ...answering, config }, answering.sources));
      last.close();
      return last.answered(config.http.closeTimeout);
    },
    handle: (request) => dispatcher.handle(request),
    handleForReplica: (text) => answering.handleForReplica(text),
    change,
    usage: () => usage.table(),
    logLevelsChanged: () => http instanceof ReaderPool && http.logLevelsChanged(),
  };
}

/** What answers requests about one chain. */
class AnsweringChain {
  readonly chain: ChainReader;
  readonly sources: NewsSources;
  readonly feed: ChainFeed;
  readonly dispatcher: Dispatcher;
  private readonly filters: FilterRegistry;
  private readonly createForReplicas: () => Dispatcher;
  private forReplicas: Dispatcher | undefined;
  /** Number of requests in progress. */
  private requests = 0;
  private onAnswered: () => void = () => undefined;

  constructor(
    served: ServedChain,
    options: RpcServerOptions,
    { methods, work: writersWork, writer }: ServerKind,
    config: RpcConfig,
    budget: ClientBudget,
    usage: UsageMeter,
    /** Sequence number of the last change of the chain before. */
    sequence = 0,
  ) {
    const { chain, events, pool, sync, miner: work = writersWork } = served;
    const { logger } = options;
    const pendingTransactions = pendingSource(pool);
    this.chain = chain;
    this.sources = {
      pendingTransactions,
      ...(sync && { sync }),
      ...(work && { work }),
    };
    const feed = new ChainFeed(chain, events, sequence);
    const filters = new FilterRegistry({ chain, config, feed, pendingTransactions, budget, logger });
    const syncStatus = () => sync?.status() ?? (false as const);
    const dispatched = { ...options, ...served, feed, filters, syncStatus };
    this.dispatcher = createDispatcher(dispatched, methods, logger, writer, usage);
    this.createForReplicas = () => createDispatcher(dispatched, METHODS_FOR_REPLICAS, logger);
    this.feed = feed;
    this.filters = filters;
  }

  async handle<T>(answer: (dispatcher: Dispatcher) => Promise<T>): Promise<T> {
    this.requests++;
    try {
      return await answer(this.dispatcher);
    } finally {
      if (--this.requests === 0) this.onAnswered();
    }
  }

  async handleForReplica(text: string): Promise<string | undefined> {
    this.forReplicas ??= this.createForReplicas();
    return (await this.forReplicas.handleText(text)).body;
  }

  /** Resolves when no request is in progress, or after so many milliseconds. */
  answered(timeout: number): Promise<void> {
    if (this.requests === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeout);
      this.onAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    this.filters.close();
    this.feed.close();
  }
}

/** With copies of what may change. */
function ownCopy(config: RpcConfig): RpcConfig {
  return { ...config, auth: { ...config.auth }, rateLimit: { ...config.rateLimit } };
}

/** The configuration of one thread: bounds on bytes are shared equally by the readers and the main thread. */
function shareOfBounds(config: RpcConfig): RpcConfig {
  if (config.readers === 0) return config;
  const { connections, filters, http } = config;
  const share = (bytes: number, least = 1) => bytes && Math.max(Math.floor(bytes / (config.readers + 1)), least);
  return {
    ...config,
    connections: {
      ...connections,
      // Two of the largest bodies fit in any case.
      maxUnreadBytes: share(connections.maxUnreadBytes, 2 * http.maxBodyBytes),
      maxUnsentBytes: share(connections.maxUnsentBytes, config.maxResponseSize),
    },
    filters: { ...filters, maxBytes: share(filters.maxBytes) },
  };
}

/** Throws {@link RpcServerError} `INVALID_CONFIGURATION` for a chain that other threads cannot read. */
function readerOptions(
  { chain, location, clientVersion }: RpcServerOptions,
  { writer }: ServerKind,
  config: RpcConfig,
): ReaderPoolOptions {
  const { network } = chain;
  if (location !== undefined) return { network, location, config, clientVersion, isReplica: writer !== undefined };
  throw new RpcServerError({
    code: "INVALID_CONFIGURATION",
    option: "readers",
    reason: "the chain is not in a database folder",
  });
}

function pendingSource(pool: TransactionPoolApi): PendingEventSource {
  return {
    onPending: (listener) =>
      pool.on((event) => {
        if (event.kind === "newPending") listener(event.transactions);
      }),
  };
}
