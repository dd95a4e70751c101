import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "@cambium/primitives";
import type { ConnectionTable } from "../connections/connection-table.js";
import { type AccessCheck, isAllowed } from "../http/access.js";
import { openExchange } from "../http/listener.js";
import { isWebSocketUpgrade, serveWithoutUpgrade } from "./other-upgrades.js";

/** An admitted request to upgrade a connection; `head` contains the client's bytes after the request. */
export interface Upgrade {
  request: IncomingMessage;
  response: ServerResponse;
  socket: Socket;
  head: Buffer;
}

/**
 * Passes admitted upgrades, within the limits of connections and the access check, to `accept`. The connections of
 * others are closed once they are answered. An upgrade that follows unanswered requests is ignored, and its connection
 * closed once these are answered.
 */
export function receiveUpgrades(
  server: Server,
  table: ConnectionTable,
  check: AccessCheck,
  accept: (upgrade: Upgrade) => void,
  logger: Logger,
): void {
  const unanswered = countUnanswered(server);
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    try {
      receive(request, socket, head);
    } catch (err) {
      logger.error({ err }, "Upgrade to WebSocket failed unexpectedly");
      socket.destroy();
    }
  });

  function receive(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (!isWebSocketUpgrade(request) && !unanswered.get(socket)) {
      serveWithoutUpgrade(server, request, socket, head);
      return;
    }
    // Node.js has removed its own listener. The table notices the end of the connection.
    socket.on("error", () => undefined);
    if (unanswered.get(socket)) {
      unanswered.onAnswered(socket, () => socket.destroySoon());
      // The server's time limit for unread responses no longer applies automatically.
      socket.once("timeout", () => socket.destroy());
      return;
    }
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.once("finish", () => socket.destroySoon());
    const exchange = openExchange(table, request, response);
    if (exchange !== undefined && isAllowed(check, request, response)) accept({ request, response, socket, head });
  }
}

interface UnansweredRequests {
  /** Returns the number of unanswered requests of a connection; undefined or 0 if there are none. */
  get(socket: Socket): number | undefined;
  /** Calls `action` when the last of them is answered. */
  onAnswered(socket: Socket, action: () => void): void;
}

function countUnanswered(server: Server): UnansweredRequests {
  const counts = new WeakMap<Socket, number>();
  const actions = new WeakMap<Socket, () => void>();
  const count = ({ socket }: IncomingMessage, response: ServerResponse) => {
    counts.set(socket, (counts.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = counts.get(socket)! - 1;
      counts.set(socket, left);
      if (left === 0) actions.get(socket)?.();
    });
  };
  server.on("request", count).on("checkExpectation", count);
  return { get: (socket) => counts.get(socket), onAnswered: (socket, action) => void actions.set(socket, action) };
}
