import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionTable } from "../connections/connection-table.js";
import { DirectConnection, type DirectServer } from "./direct-connection.js";

type ConnectionListener = (this: Server, socket: Socket) => void;

/**
 * Answers plain requests on their sockets. That costs half as much as Node.js's parser, its objects for request and
 * response, and their events. The first request of a connection that is not plain, and all later ones, are left to
 * Node.js.
 */
export class DirectConnections {
  private readonly open = new Set<DirectConnection>();

  constructor(server: Server, table: ConnectionTable, parts: Omit<DirectServer, "left">) {
    const [serve] = server.listeners("connection") as [ConnectionListener];
    const seen = new WeakSet<Socket>();
    const left = (connection: DirectConnection) => {
      this.open.delete(connection);
      if (!connection.socket.destroyed) serve.call(server, connection.socket);
    };
    server.off("connection", serve);
    server.on("connection", (socket: Socket) => {
      const entry = table.get(socket);
      // The connection was refused, or Node.js must read it once more.
      if (entry === undefined || seen.has(socket)) serve.call(server, socket);
      else this.open.add(new DirectConnection(socket, entry, { ...parts, left }));
      seen.add(socket);
    });
  }

  /** Closes idle connections now, and the others as soon as their requests are answered. */
  closeIdle(): void {
    for (const connection of this.open) connection.closeWhenIdle();
  }

  closeAll(): void {
    for (const { socket } of this.open) socket.destroy();
  }
}
