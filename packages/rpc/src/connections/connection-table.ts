import type { Server } from "node:http";
import type { Socket } from "node:net";
import { hostOfIp, isLoopback, parseIp } from "@cambium/primitives";
import { type Budgets, ClientConnection } from "./client-connection.js";

export interface ConnectionLimits {
  maximum: number;
  /** Per IPv4 address or IPv6 network of 64 bits, except this machine; 0: no limit. */
  perClient: number;
}

/** Response to a connection that is not accepted. */
const REFUSAL = "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/**
 * The connections of one listener. If there are too many, of one client or in all, a new one replaces an idle one: first
 * those that never sent a request, then the others, each in the order of their last use.
 */
export class ConnectionTable {
  private readonly connections = new Map<Socket, ClientConnection>();

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly budgets: Budgets,
  ) {}

  /** Applies the limits to every new connection of a server. */
  watch(server: Server): void {
    server.on("connection", (socket) => this.accept(socket));
  }

  /** The entry of a socket; undefined if it was closed or never accepted. */
  get(socket: Socket): ClientConnection | undefined {
    return this.connections.get(socket);
  }

  private accept(socket: Socket): void {
    // A server can be made to read a connection again.
    if (this.connections.has(socket)) return;
    const ip = parseIp(socket.remoteAddress ?? "");
    if (ip === undefined) {
      socket.destroy();
      return;
    }
    const connection = new ClientConnection(socket, hostOfIp(ip.text), this.budgets);
    const isOwn = ({ client }: ClientConnection) => client === connection.client;
    const { maximum, perClient } = this.limits;
    const isLimited = perClient > 0 && !isLoopback(ip);
    if ((isLimited && !this.makeRoom(perClient, isOwn)) || !this.makeRoom(maximum, () => true)) {
      socket.end(REFUSAL, () => socket.destroy());
      return;
    }
    this.connections.set(socket, connection);
    socket.once("close", () => this.remove(connection));
  }

  /** Whether there are fewer than `limit` connections of a kind, if need be after closing an idle one. */
  private makeRoom(limit: number, isCounted: (connection: ClientConnection) => boolean): boolean {
    if (this.connections.size < limit) return true;
    let [count, idle]: [number, ClientConnection | undefined] = [0, undefined];
    for (const connection of this.connections.values()) {
      if (!isCounted(connection)) continue;
      count++;
      if (!connection.isInUse() && (idle === undefined || isLessUseful(connection, idle))) idle = connection;
    }
    if (count < limit) return true;
    if (idle === undefined) return false;
    this.remove(idle);
    idle.socket.destroy();
    return true;
  }

  private remove(connection: ClientConnection): void {
    if (this.connections.get(connection.socket) === connection) this.connections.delete(connection.socket);
    connection.release();
  }
}

function isLessUseful(one: ClientConnection, other: ClientConnection): boolean {
  return one.wasUsed === other.wasUsed ? one.lastUsed < other.lastUsed : !one.wasUsed;
}
