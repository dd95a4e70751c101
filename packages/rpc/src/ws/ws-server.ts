import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "@cambium/primitives";
import websocket from "@fastify/websocket";
import type { FastifyInstance } from "fastify";
import type { RpcConfig } from "../config.js";
import type { Budgets } from "../connections/client-connection.js";
import { ConnectionTable } from "../connections/connection-table.js";
import { addAccessChecks, clientOf } from "../http/access.js";
import { createApp, type ListeningAddress, listen } from "../http/listener.js";
import type { ClientRateLimiter } from "../rate-limit/client-rate-limiter.js";
import type { Dispatcher } from "../requests/dispatcher.js";
import type { SubscriptionHub } from "../subscriptions/hub.js";
import { Connection } from "./connection.js";
import { closeEarlyUpgrades } from "./early-upgrades.js";
import { Flusher } from "./flusher.js";

export interface WsServerParts {
  config: RpcConfig;
  budgets: Budgets;
  dispatcher: Dispatcher;
  hub: SubscriptionHub;
  limiter: ClientRateLimiter;
  logger: Logger;
}

/** Frames of a message, and parts in which a frame may arrive: each needs memory beside its bytes. */
const PARTS = { maxFragments: 4_096, maxBufferedChunks: 8_192 };

/** WebSocket server of `spec/09 §1.4`, with its own listener or that of HTTP. */
export class WsServer {
  private readonly connections = new Set<Connection>();
  private readonly flusher = new Flusher();
  private readonly own: FastifyInstance | undefined;
  private readonly table: ConnectionTable;
  private pinging: NodeJS.Timeout | undefined;

  /** `shared` is the HTTP server, if both share a listener. */
  constructor(
    private readonly parts: WsServerParts,
    shared?: { app: FastifyInstance; table: ConnectionTable },
  ) {
    const { ws, connections } = parts.config;
    const limits = { maximum: ws.maxConnections, perClient: connections.perClient };
    this.table = shared?.table ?? new ConnectionTable(limits, parts.budgets);
    const app = shared?.app ?? this.createOwnApp();
    this.own = shared === undefined ? app : undefined;
    closeEarlyUpgrades(app.server);
    app.register(websocket, {
      options: {
        ...PARTS,
        maxPayload: ws.maxMessageBytes,
        perMessageDeflate: false,
        autoPong: false,
      },
      // Abnormal ends of a connection: an oversized message, malformed frames, a lost peer. Clients can cause thousands a second.
      errorHandler: (error) => parts.logger.debug({ err: error }, "WebSocket connection closed with an error"),
      // Rejects new connections; `close` ends the existing ones.
      preClose: (done) => {
        app.websocketServer.close();
        done();
      },
    });
    app.register(async (scope) => this.addRoute(scope));
    app.addHook("onResponse", (request, _reply, next) => {
      // fastify does not close the connection of a rejected upgrade.
      if (request.headers.upgrade !== undefined) request.raw.socket.destroySoon();
      next();
    });
    if (ws.pingInterval > 0) this.pinging = setInterval(() => this.ping(), ws.pingInterval).unref();
  }

  /** Starts its own listener; undefined if it is shared. Rejects with {@link RpcError} `LISTEN_FAILED`. */
  async listen(): Promise<ListeningAddress | undefined> {
    const { http, ws } = this.parts.config;
    return this.own === undefined ? undefined : listen(this.own, { ...http, host: ws.host, port: ws.port });
  }

  /** Waits for in-flight requests up to the time limit, then closes every connection. */
  async close(): Promise<void> {
    clearInterval(this.pinging);
    const closed = this.own?.close();
    const connections = [...this.connections];
    const finished = Promise.all(connections.map((connection) => connection.finish()));
    const stopWaiting = new AbortController();
    const timeout = pause(this.parts.config.http.closeTimeout, undefined, { signal: stopWaiting.signal });
    await Promise.race([finished, timeout.catch(() => undefined)]);
    stopWaiting.abort();
    for (const connection of this.connections) connection.terminate();
    await closed;
  }

  private createOwnApp(): FastifyInstance {
    const { config } = this.parts;
    const app = createApp(config.http, this.table);
    addAccessChecks(app, config, config.ws.host);
    app.setNotFoundHandler((_request, reply) => reply.code(426).header("upgrade", "websocket").send());
    app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
      reply.code(error.statusCode ?? 500).send();
    });
    return app;
  }

  private addRoute(scope: FastifyInstance): void {
    const { config, dispatcher, hub, limiter } = this.parts;
    scope.route({
      method: "GET",
      url: "/*",
      handler: (_request, reply) => reply.callNotFound(),
      wsHandler: (webSocket, request) => {
        const held = this.table.get(request.raw.socket);
        if (held === undefined) {
          webSocket.terminate();
          return;
        }
        const client = clientOf(request, config);
        const { receiveTimeout } = config.http;
        const admit = limiter.admission(client.identity);
        const shared = { config: config.ws, dispatcher, hub, flusher: this.flusher, receiveTimeout };
        const parts = { ...shared, held, admit, client };
        const connection = new Connection(webSocket, request.raw.socket, parts);
        this.connections.add(connection);
        webSocket.on("close", () => this.connections.delete(connection));
      },
    });
  }

  private ping(): void {
    for (const connection of this.connections) connection.ping();
  }
}
