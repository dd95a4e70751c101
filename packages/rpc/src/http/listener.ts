import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ConnectionTable } from "../connections/connection-table.js";
import { Exchange } from "../connections/exchange.js";
import { RpcServerError } from "../errors.js";
import { sendEmpty } from "./response.js";

export interface ListeningAddress {
  host: string;
  port: number;
}

/** An address to bind to, and the port, 0 for any. */
type BindAddress = ListeningAddress;

/** Time limits in milliseconds. */
export interface TimeLimits {
  keepAliveTimeout: number;
  receiveTimeout: number;
  writeTimeout: number;
}

/** Time limit for the headers of a request, unless that of the whole request is shorter. */
const HEADERS_MILLISECONDS = 10_000;

/** Returns the milliseconds within which a new connection must send its first request. */
export function headersTimeout({ receiveTimeout }: TimeLimits): number {
  return Math.min(HEADERS_MILLISECONDS, receiveTimeout);
}

/** Interval of checks of these limits. */
const CHECK_MILLISECONDS = 1_000;

/**
 * Maximum number of connections that wait to be accepted; about the same number is served. The system drops further
 * connections, and their clients retry after a second. In a longer queue they would wait behind abandoned connections.
 */
const BACKLOG = 1_024;

/** Maximum number of requests that a client may send before it has received their responses. */
const MAX_PIPELINED = 8;

/** Receives requests that the limits on connections admit. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, exchange: Exchange) => void;

/** Creates an HTTP server whose connections and requests obey time limits and the limits of a table. */
export function createListener(timeLimits: TimeLimits, table: ConnectionTable, handle: RequestHandler): Server {
  const { keepAliveTimeout, receiveTimeout, writeTimeout } = timeLimits;
  const limits = {
    keepAliveTimeout,
    requestTimeout: receiveTimeout,
    headersTimeout: headersTimeout(timeLimits),
    connectionsCheckingInterval: Math.min(CHECK_MILLISECONDS, Math.ceil(receiveTimeout / 2)),
    // Requests without a Host header are served (`spec/09 §1.3`).
    requireHostHeader: false,
  };
  const server = createServer(limits, (request, response) => {
    const exchange = openExchange(table, request, response);
    if (exchange !== undefined) handle(request, response, exchange);
  });
  // Node.js itself would refuse an unknown `Expect` header, without applying the limits.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    if (openExchange(table, request, response) !== undefined) sendEmpty(response, 417);
  });
  table.watch(server);
  // Restarted by all sent or received data.
  server.setTimeout(writeTimeout);
  server.on("timeout", (socket) => table.get(socket)?.onTimeout());
  return server;
}

/** Opens the exchange of a new request; undefined if it is already refused. */
export function openExchange(
  table: ConnectionTable,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange | undefined {
  const connection = table.get(request.socket);
  if (connection === undefined) {
    // The connection was not accepted, or was closed to make room for another one.
    request.socket.destroy();
    return undefined;
  }
  const exchange = new Exchange(connection);
  response.once("close", () => exchange.end(response.writableFinished));
  if (exchange.requests <= MAX_PIPELINED) return exchange;
  sendEmpty(response, 503, ["connection", "close"]);
  return undefined;
}

/**
 * Starts listening, on the socket of `handle` if present. Rejects with {@link RpcServerError} `LISTEN_FAILED` if the
 * address cannot be bound.
 */
export async function listen(server: Server, { host, port }: BindAddress, handle?: object): Promise<ListeningAddress> {
  await new Promise<void>((resolve, reject) => {
    const fail = ({ message: reason }: Error) =>
      reject(new RpcServerError({ code: "LISTEN_FAILED", host, port, reason }));
    server.once("error", fail);
    const onListening = () => {
      server.off("error", fail);
      resolve();
    };
    if (handle === undefined) server.listen({ host, port, backlog: BACKLOG }, onListening);
    else server.listen(handle, BACKLOG, onListening);
  });
  const address = server.address() as AddressInfo;
  return { host: address.address, port: address.port };
}

/** Stops accepting connections and closes idle ones; resolves when all are closed. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // The callback receives an error if the server never listened.
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
