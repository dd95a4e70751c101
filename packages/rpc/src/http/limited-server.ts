import { createServer, type RequestListener, type Server } from "node:http";
import { ByteBudget } from "../connections/byte-budget.js";
import { ConnectionTable } from "../connections/connection-table.js";
import { Exchange } from "../connections/exchange.js";
import { createHostCheck } from "./host-check.js";

/** In milliseconds. */
export interface TimeLimits {
  keepAliveTimeout: number;
  receiveTimeout: number;
  writeTimeout: number;
}

/** Time limit for the headers of a request, unless that of the whole request is shorter. */
const HEADERS_MILLISECONDS = 10_000;
/** Interval of checks of these limits. */
const CHECK_MILLISECONDS = 1_000;

/** Creates an HTTP server whose connections obey time limits and a table, which the listener must inform of requests. */
export function createLimitedServer(
  { keepAliveTimeout, receiveTimeout, writeTimeout }: TimeLimits,
  table: ConnectionTable,
  listener: RequestListener,
): Server {
  const limits = {
    keepAliveTimeout,
    requestTimeout: receiveTimeout,
    headersTimeout: Math.min(HEADERS_MILLISECONDS, receiveTimeout),
    connectionsCheckingInterval: Math.min(CHECK_MILLISECONDS, Math.ceil(receiveTimeout / 2)),
    // Requests without a Host header are served (`spec/09 §1.3`).
    requireHostHeader: false,
  };
  const server = createServer(limits, listener);
  table.watch(server);
  // Restarted by everything that is sent or received.
  server.setTimeout(writeTimeout);
  server.on("timeout", (socket) => table.get(socket)?.onTimeout());
  return server;
}

/** Limits of a server beside JSON-RPC. */
export interface SideServerLimits extends TimeLimits {
  /** Listening address. */
  host: string;
  /** Accepted `Host` names besides `localhost`, the listening host and literal IP addresses; `*` accepts any. */
  hosts: readonly string[];
  maxConnections: number;
}

/** Creates an HTTP server for a few clients, with the checks of JSON-RPC that do not depend on its configuration. */
export function createSideServer(limits: SideServerLimits, listener: RequestListener): Server {
  const budgets = { unread: new ByteBudget(0), unsent: new ByteBudget(0) };
  const table = new ConnectionTable({ maximum: limits.maxConnections, perClient: 0 }, budgets);
  const hostAccepted = createHostCheck(limits);
  return createLimitedServer(limits, table, (request, response) => {
    const connection = table.get(request.socket);
    if (connection === undefined) {
      request.socket.destroy();
      return;
    }
    new Exchange(connection, response);
    if (hostAccepted(request.headers.host)) listener(request, response);
    else response.writeHead(403).end();
  });
}
