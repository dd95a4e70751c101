import type { Server } from "node:http";
import { ChainFeed, ClientBudget, createHub, METHODS, type MethodDefinition, shownChain } from "@cambium/api";
import { createChainEvm, openReader } from "@cambium/chain";
import { attachLevelDatabase } from "@cambium/database";
import { changeServing, type RpcConfig, type ServingChanges } from "../config.js";
import { createBudgets } from "../connections/client-connection.js";
import { SharedCounts } from "../connections/connection-counts.js";
import { RpcServerError } from "../errors.js";
import { CallingThreadFirst, SHARED_CALLS } from "../heavy/calling-thread-first.js";
import { headTokens } from "../http/head-tokens.js";
import { HttpServer } from "../http/http-server.js";
import { ClientRateLimiter } from "../rate-limit/client-rate-limiter.js";
import { absent, PENDING_ELSEWHERE } from "../replicas/absent-parts.js";
import { REPLICA_METHODS } from "../replicas/replica-methods.js";
import { createDispatcher, type DispatcherParts } from "../requests/dispatcher.js";
import { IN_MAIN_THREAD } from "../requests/interface.js";
import { UsageTable } from "../usage/usage-table.js";
import { WsServer } from "../ws/ws-server.js";
import { AnnouncedEvents } from "./announced-events.js";
import { duplicateListener } from "./duplicate-listener.js";
import { MainThread } from "./main-thread.js";
import type { OpenListener, ReaderThreadData } from "./messages.js";

/**
 * Returns the methods that a reader itself begins. Long calls need the threads for heavy work, which belong to the main
 * thread.
 */
function readerMethods(isReplica: boolean): readonly MethodDefinition[] {
  const methods = isReplica ? REPLICA_METHODS : METHODS;
  return methods.filter(({ reads, needsConnection }) => needsConnection || reads !== undefined);
}

/** The server of a reader thread: HTTP, and WebSocket on the same connections. */
export class Reader {
  private constructor(
    private readonly config: RpcConfig,
    private readonly http: HttpServer,
    private readonly ws: WsServer | undefined,
    readonly announced: AnnouncedEvents,
    private readonly ends: (() => unknown)[],
  ) {}

  static async open({ network, location, config, ...data }: ReaderThreadData): Promise<Reader> {
    const database = await attachLevelDatabase(location);
    const { nodeCacheCapacity } = config.heavy;
    const chain = shownChain(openReader({ network, database, nodeCacheCapacity }), config);
    const main = new MainThread(data.port, data.logsDebug);
    const { logger } = main;
    const announced = new AnnouncedEvents(chain, data.hasWork);
    const feed = new ChainFeed(chain, announced.events, 0, config.skipRemasc);
    const hub = createHub({ chain, config, feed, budget: new ClientBudget(config.filters.maxBytes) }, announced);
    const heavy = new CallingThreadFirst(absent(), config, SHARED_CALLS, (isInterrupted) => {
      return openReader({ network, database, nodeCacheCapacity, evm: createChainEvm(network, { isInterrupted }) });
    });
    const served = { ...IN_MAIN, chain, config, feed, heavy, clientVersion: data.clientVersion };
    const usage = new UsageTable();
    main.follow(usage);
    const dispatcher = createDispatcher(served, readerMethods(data.isReplica), logger, main, usage);
    const limiter = new ClientRateLimiter(config.rateLimit, logger, Date.now, main);
    const budgets = createBudgets(config.connections);
    const counts = new SharedCounts(data.counts, data.thread);
    const tokens = headTokens(config, chain);
    const http = new HttpServer(config, dispatcher, limiter, budgets, logger, counts, tokens);
    const wsParts = { config, budgets, dispatcher, hub, limiter, usage, headTokens: tokens, logger };
    const ws = config.ws.enabled ? new WsServer(wsParts, { http, own: false }) : undefined;
    return new Reader(config, http, ws, announced, closing([hub, feed, main, database]));
  }

  /** Implements `ReaderMethods`. */
  async listen(fd: number | undefined): Promise<OpenListener> {
    const handle = fd === undefined ? undefined : await this.duplicate(fd);
    const address = await this.http.listen(handle);
    return { ...address, fd: descriptorOf(this.http.server) };
  }

  private duplicate(fd: number): Promise<object> {
    return duplicateListener(fd).catch(({ message: reason }: Error) => {
      const { host, port } = this.config.http;
      throw new RpcServerError({ code: "LISTEN_FAILED", host, port, reason });
    });
  }

  /** Implements `ReaderMethods`. */
  change(changes: ServingChanges): void {
    changeServing(this.config, changes);
    if (changes.apiKeys === undefined && changes.managedKeys === undefined) return;
    this.http.keysChanged();
    this.ws?.keysChanged();
  }

  /** Answers requests in progress, up to the time limit, then closes every connection. */
  async close(): Promise<void> {
    await Promise.all([this.http.close(), this.ws?.close()]);
    for (const end of this.ends) await end();
  }
}

function closing(parts: readonly { close(): unknown }[]): (() => unknown)[] {
  return parts.map((part) => () => part.close());
}

/** Returns the descriptor of a listening server, which Node.js shows only in this member. -1 on Windows. */
function descriptorOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd;
}

/** Parts that requests may turn out to need: the main thread then answers them. */
const IN_MAIN = {
  ...PENDING_ELSEWHERE,
  filters: absent<DispatcherParts["filters"]>(),
  syncStatus: (): never => {
    throw IN_MAIN_THREAD;
  },
};
