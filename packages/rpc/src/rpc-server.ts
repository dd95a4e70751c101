import type { ChainReader } from "@cambium/chain";
import type { Logger } from "@cambium/primitives";
import type { TransactionPoolApi } from "@cambium/txpool";
import type { Block } from "@cambium/types";
import { ChainFeed } from "./chain-feed.js";
import { ClientBudget } from "./client-budget.js";
import type { RpcConfig } from "./config.js";
import { ByteBudget } from "./connections/byte-budget.js";
import { FilterRegistry } from "./filters/filter-registry.js";
import type { HeavyExecutor } from "./heavy/heavy-executor.js";
import { HttpServer } from "./http/http-server.js";
import type { ListeningAddress } from "./http/listener.js";
import { METHODS } from "./methods/index.js";
import { blockObject } from "./objects/block.js";
import { ClientRateLimiter } from "./rate-limit/client-rate-limiter.js";
import { createDispatcher } from "./requests/dispatcher.js";
import type { OptionalParts } from "./requests/method.js";
import type { ChainEventSource, PeerSource, PendingEventSource, SyncStatusSource } from "./sources.js";
import { SubscriptionHub } from "./subscriptions/hub.js";
import { WsServer } from "./ws/ws-server.js";

export interface RpcServerOptions extends OptionalParts {
  chain: ChainReader;
  /** Events for filters and subscriptions; undefined for a chain that does not change. */
  events?: ChainEventSource;
  pool: TransactionPoolApi;
  /** Undefined for a node that does not synchronise. */
  sync?: SyncStatusSource;
  /** Executor of heavy work; by default, the main thread. */
  heavy?: HeavyExecutor;
  config: RpcConfig;
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
  /** Starts the listeners. Rejects with {@link RpcError} `LISTEN_FAILED` or `INVALID_CONFIGURATION`. */
  listen(): Promise<ServerAddresses>;
  /** Closes the listeners after waiting up to `config.http.closeTimeout` for in-flight requests. */
  close(): Promise<void>;
  /** Handles a request object or batch without a listener; undefined if it held only notifications. Never rejects. */
  handle(request: unknown): Promise<unknown>;
}

/** Creates the JSON-RPC server for HTTP and WebSocket. Throws {@link RpcError} `INVALID_CONFIGURATION`. */
export function createRpcServer(options: RpcServerOptions): RpcServer {
  const { chain, events, pool, sync, config, logger } = options;
  const feed = new ChainFeed(chain, events);
  const pendingTransactions = pendingSource(pool);
  const budget = new ClientBudget(config.filters.maxBytes);
  const filters = new FilterRegistry({ chain, config, feed, pendingTransactions, budget, logger });
  // Every member of a block: client libraries expect `mixHash` and `nonce`, which 00 does not list.
  const headObject = (block: Block) => blockObject({ chain, config }, block, false);
  const hub = new SubscriptionHub(feed, { pendingTransactions, sync }, budget, headObject);
  const modules = { ...options, filters, syncStatus: () => sync?.status() ?? (false as const) };
  const dispatcher = createDispatcher(modules, METHODS, logger);
  const limiter = new ClientRateLimiter(config.rateLimit, logger);
  const { maxUnreadBytes, maxUnsentBytes } = config.connections;
  // A request that is still to be read gives way; of responses, those that have had most time to be read.
  const budgets = {
    unread: new ByteBudget(maxUnreadBytes, "newest"),
    unsent: new ByteBudget(maxUnsentBytes, "oldest"),
  };
  const http = new HttpServer(config, dispatcher, limiter, budgets, logger);
  const wsParts = { config, budgets, dispatcher, hub, limiter, logger };
  const ws = config.ws.enabled ? new WsServer(wsParts, http) : undefined;
  const listen = async (): Promise<ServerAddresses> => {
    await limiter.open();
    const address = await http.listen();
    logger.info(address, "JSON-RPC server listening for HTTP");
    const wsAddress = ws && ((await ws.listen()) ?? address);
    if (wsAddress !== undefined) logger.info(wsAddress, "JSON-RPC server listening for WebSocket");
    return { ...address, ws: wsAddress };
  };
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    await Promise.all([http.close(), ws?.close()]);
    for (const part of [filters, hub, feed]) part.close();
    await limiter.close();
  };
  const close = (): Promise<void> => (closing ??= closeAll());
  return {
    listen: () =>
      listen().catch(async (error) => {
        await close();
        throw error;
      }),
    close,
    handle: (request) => dispatcher.handle(request),
  };
}

function pendingSource(pool: TransactionPoolApi): PendingEventSource {
  return {
    onPending: (listener) =>
      pool.on((event) => {
        if (event.kind === "newPending") listener(event.transactions);
      }),
  };
}
