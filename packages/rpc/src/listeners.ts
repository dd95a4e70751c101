import type { NewsSources, SubscriptionHub } from "@cambium/api";
import type { Logger } from "@cambium/primitives";
import type { RpcConfig, ServingChanges } from "./config.js";
import { createBudgets } from "./connections/client-connection.js";
import { RpcServerError } from "./errors.js";
import { headTokens } from "./http/head-tokens.js";
import { HttpServer } from "./http/http-server.js";
import type { RpcServerOptions, ServerAddresses } from "./interface.js";
import type { ClientRateLimiter } from "./rate-limit/client-rate-limiter.js";
import { ReaderPool, type ReaderPoolOptions } from "./readers/reader-pool.js";
import type { Dispatcher } from "./requests/interface.js";
import type { UsageCounter } from "./usage/usage-table.js";
import { WsServer } from "./ws/ws-server.js";

/** Parts that serve the requests of all connections. */
export interface ListenerParts {
  config: RpcConfig;
  dispatcher: Dispatcher;
  hub: SubscriptionHub;
  limiter: ClientRateLimiter;
  usage: UsageCounter;
  logger: Logger;
  /** Events for reader threads. */
  sources: NewsSources;
  /** Whether the server is a replica. */
  isReplica: boolean;
}

/** The listeners of HTTP, in this thread or in readers, and of WebSocket. */
export class Listeners {
  private readonly http: HttpServer | ReaderPool;
  private readonly ws: WsServer | undefined;

  /** Creates the listeners. Throws {@link RpcServerError} `INVALID_CONFIGURATION`. */
  constructor(
    private readonly parts: ListenerParts,
    options: Pick<RpcServerOptions, "chain" | "location" | "clientVersion">,
  ) {
    const { config, dispatcher, limiter, usage, logger, sources } = parts;
    const budgets = createBudgets(config.connections);
    const tokens = headTokens(config, options.chain);
    this.http =
      config.readers > 0
        ? new ReaderPool(readerOptions(options, parts), sources, { dispatcher, limiter, usage, logger })
        : new HttpServer(config, dispatcher, limiter, budgets, logger, undefined, tokens);
    const http = this.http instanceof HttpServer ? this.http : undefined;
    const wsParts = { ...parts, budgets, headTokens: tokens };
    this.ws = config.ws.enabled ? new WsServer(wsParts, { http, own: true }) : undefined;
  }

  async listen(): Promise<ServerAddresses> {
    const { logger } = this.parts;
    const address = await this.http.listen();
    logger.info(address, "JSON-RPC server listening for HTTP");
    const ws = this.ws && ((await this.ws.listen()) ?? address);
    if (ws !== undefined) logger.info(ws, "JSON-RPC server listening for WebSocket");
    return { ...address, ws };
  }

  async close(): Promise<void> {
    await Promise.all([this.http.close(), this.ws?.close()]);
  }

  /** Applies a change of the configuration. */
  changed(changes: ServingChanges): void {
    if (this.http instanceof ReaderPool) this.http.changed(changes);
    if (changes.apiKeys === undefined && changes.managedKeys === undefined) return;
    if (this.http instanceof HttpServer) this.http.keysChanged();
    this.ws?.keysChanged();
  }

  logLevelsChanged(): void {
    if (this.http instanceof ReaderPool) this.http.logLevelsChanged();
  }
}

/**
 * Returns the options of readers. Throws {@link RpcServerError} `INVALID_CONFIGURATION` for a chain that other threads
 * cannot read.
 */
function readerOptions(
  { chain, location, clientVersion }: Pick<RpcServerOptions, "chain" | "location" | "clientVersion">,
  { config, isReplica }: ListenerParts,
): ReaderPoolOptions {
  const { network } = chain;
  if (location !== undefined) return { network, location, config, clientVersion, isReplica };
  throw new RpcServerError({
    code: "INVALID_CONFIGURATION",
    option: "readers",
    reason: "the chain is not in a database folder",
  });
}
