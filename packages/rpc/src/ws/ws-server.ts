import type { IncomingMessage, Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { constants } from "node:zlib";
import type { SubscriptionHub } from "@cambium/api";
import type { Logger } from "@cambium/primitives";
import { type WebSocket, WebSocketServer } from "ws";
import { type RpcConfig, sharesListener } from "../config.js";
import type { Budgets } from "../connections/client-connection.js";
import { ConnectionTable } from "../connections/connection-table.js";
import { type AccessCheck, clientOf, createAccessCheck, isAllowed } from "../http/access.js";
import { keyLookup } from "../http/api-key.js";
import type { HeadTokens } from "../http/head-tokens.js";
import { createListener, type ListeningAddress, listen, stopListening } from "../http/listener.js";
import { sendEmpty } from "../http/response.js";
import { trustedProxies } from "../http/trusted-proxies.js";
import type { KeyedClient } from "../keys/keyed-client.js";
import type { ClientRateLimiter, RequestAdmission } from "../rate-limit/client-rate-limiter.js";
import type { Dispatcher } from "../requests/interface.js";
import type { UsageCounter } from "../usage/usage-table.js";
import { Connection } from "./connection.js";
import { Flusher } from "./flusher.js";
import { askedHead, MessageHeads } from "./message-heads.js";
import { receiveUpgrades, type Upgrade } from "./upgrades.js";

export interface WsServerParts {
  config: RpcConfig;
  budgets: Budgets;
  dispatcher: Dispatcher;
  hub: SubscriptionHub;
  limiter: ClientRateLimiter;
  usage: UsageCounter | undefined;
  /** Tokens of heads; undefined for a node without replicas. */
  headTokens: HeadTokens | undefined;
  logger: Logger;
}

/**
 * Maximum number of frames in a message, and of parts in which a frame may arrive: each needs memory besides its bytes.
 */
const PARTS = { maxFragments: 4_096, maxBufferedChunks: 8_192 };

/**
 * Compression of messages. No state is kept between messages. Few messages are compressed or inflated at a time: each
 * needs some 300 KB and a thread of the pool for files and names. Shorter messages are sent uncompressed.
 */
const DEFLATE = {
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  concurrencyLimit: 2,
  threshold: 4_096,
  zlibDeflateOptions: { level: constants.Z_BEST_SPEED },
};

/** A server for WebSocket, and its connections. */
interface Listener {
  server: Server;
  table: ConnectionTable;
}

/** WebSocket server of `spec/09 §1.4`, on the listener of HTTP and on a separate one. */
export class WsServer {
  /** Connections with the paths that they were opened with, and their clients. */
  private readonly connections = new Map<Connection, { url: string; client: KeyedClient }>();
  private readonly flusher = new Flusher();
  private readonly handshakes: WebSocketServer;
  private readonly own: Server | undefined;
  private readonly pinging: NodeJS.Timeout | undefined;
  private closing = false;

  constructor(
    private readonly parts: WsServerParts,
    /** `http` is the listener of HTTP if it is in this thread. `own` opens a separate one, if that is configured. */
    { http, own }: { http: Listener | undefined; own: boolean },
  ) {
    const { config } = parts;
    const { ws } = config;
    this.handshakes = new WebSocketServer({
      ...PARTS,
      noServer: true,
      clientTracking: false,
      maxPayload: ws.maxMessageBytes,
      perMessageDeflate: DEFLATE,
      autoPong: false,
    });
    if (http !== undefined) this.serveOn(http, createAccessCheck(config, config.http.host));
    if (own && !sharesListener(config)) this.own = this.createOwn();
    if (ws.pingInterval > 0) this.pinging = setInterval(() => this.ping(), ws.pingInterval).unref();
  }

  private createOwn(): Server {
    const { config, budgets } = this.parts;
    const { maxConnections: maximum } = config.ws;
    const limits = { maximum, perClient: config.connections.perClient, proxies: trustedProxies(config.http) };
    const table = new ConnectionTable(limits, budgets);
    const check = createAccessCheck(config, config.ws.host);
    const server = createListener(config.http, table, (request, response) => {
      if (isAllowed(check, request, response)) sendEmpty(response, 426, ["upgrade", "websocket"]);
    });
    this.serveOn({ server, table }, check);
    return server;
  }

  private serveOn({ server, table }: Listener, check: AccessCheck): void {
    receiveUpgrades(server, table, check, (upgrade) => this.accept(upgrade, table), this.parts.logger);
  }

  /** Starts the separate listener; undefined if there is none. Rejects with {@link RpcServerError} `LISTEN_FAILED`. */
  async listen(): Promise<ListeningAddress | undefined> {
    const { http, ws } = this.parts.config;
    return this.own === undefined ? undefined : listen(this.own, { ...http, host: ws.host, port: ws.port });
  }

  /** Applies changed API keys: closes the connections with a removed key. */
  keysChanged(): void {
    const lookUp = keyLookup(this.parts.config.auth);
    for (const [connection, { url, client }] of this.connections) {
      const found = lookUp(url);
      if (found === undefined) connection.terminate();
      else client.key = found.managed;
    }
  }

  /** Waits for in-flight requests up to the time limit, then closes every connection. */
  async close(): Promise<void> {
    clearInterval(this.pinging);
    this.closing = true;
    const closed = this.own && stopListening(this.own);
    const connections = [...this.connections.keys()];
    const finished = Promise.all(connections.map((connection) => connection.finish()));
    const stopWaiting = new AbortController();
    const timeout = pause(this.parts.config.http.closeTimeout, undefined, { signal: stopWaiting.signal });
    await Promise.race([finished, timeout.catch(() => undefined)]);
    stopWaiting.abort();
    for (const connection of this.connections.keys()) connection.terminate();
    this.own?.closeAllConnections();
    await closed;
  }

  private accept({ request, response, socket, head }: Upgrade, table: ConnectionTable): void {
    const { headTokens } = this.parts;
    const { token, inMessages } = askedHead(request);
    const shake = () => {
      const heads = headTokens && inMessages ? new MessageHeads(headTokens) : undefined;
      const open = (webSocket: WebSocket) => this.open(webSocket, request, table, heads);
      if (this.closing) sendEmpty(response, 503);
      else this.handshakes.handleUpgrade(request, socket, head, open);
    };
    if (headTokens === undefined || token === undefined) shake();
    else {
      void headTokens.refusal(token).then((refusal) => {
        if (refusal === undefined) shake();
        else sendEmpty(response, refusal.code === "INVALID_REQUEST" ? 400 : 503);
      });
    }
  }

  private open(
    webSocket: WebSocket,
    request: IncomingMessage,
    table: ConnectionTable,
    heads: MessageHeads | undefined,
  ): void {
    const { config, dispatcher, hub, limiter, usage, logger } = this.parts;
    // Abnormal end of a connection: an oversized message, malformed frames, or a lost peer. Clients can cause thousands
    // a second.
    webSocket.on("error", (err) => logger.debug({ err }, "WebSocket connection closed with an error"));
    const held = table.get(request.socket);
    if (held === undefined) {
      webSocket.terminate();
      return;
    }
    const client = clientOf(request, config);
    const { receiveTimeout } = config.http;
    // The limit may change while the connection is open.
    const admit: RequestAdmission = (requests, charged) => limiter.admission(client)?.(requests, charged) ?? 0;
    const shared = { config: config.ws, dispatcher, hub, usage, heads, flusher: this.flusher, receiveTimeout };
    const connection = new Connection(webSocket, request.socket, { ...shared, held, admit, client });
    this.connections.set(connection, { url: request.url ?? "", client });
    webSocket.on("close", () => this.connections.delete(connection));
  }

  private ping(): void {
    for (const connection of this.connections.keys()) connection.ping();
  }
}
