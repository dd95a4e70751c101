import type { Server } from "node:http";
import type { Socket } from "node:net";
import { hostOfIp, isLoopback, parseIp } from "@cambium/primitives";
import type { Proxies } from "../proxies.js";
import { type Budgets, ClientConnection } from "./client-connection.js";
import { type ConnectionCounts, OwnCounts } from "./connection-counts.js";

export interface ConnectionLimits {
  maximum: number;
  /** Maximum number per IPv4 address or IPv6 network of 64 bits, except this machine and proxies; 0: no limit. */
  perClient: number;
  proxies?: Proxies | undefined;
}

/** Response to a connection that is not accepted. */
const REFUSAL = "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/**
 * The connections of one listener in one thread. If there are too many, of one client or in total, a new one replaces
 * an idle one. Connections that never sent a request come first, then the others, each in the order of their last use.
 */
export class ConnectionTable {
  private readonly connections = new Map<Socket, ClientConnection>();

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly budgets: Budgets,
    private readonly counts: ConnectionCounts = new OwnCounts(),
  ) {}

  /** Applies the limits to every new connection of a server. */
  watch(server: Server): void {
    server.on("connection", (socket) => this.accept(socket));
  }

  /** Returns the entry of a socket; undefined if it was closed or never accepted. */
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
    const { client } = connection;
    const { maximum, perClient, proxies } = this.limits;
    const isForMany = isLoopback(ip) || proxies?.has(ip.text) === true;
    const isFull = () => this.counts.total >= maximum;
    const isGreedy = () => perClient > 0 && !isForMany && this.counts.of(client) >= perClient;
    const isOwn = (one: ClientConnection) => one.client === client;
    if ((isGreedy() && !this.closeIdle(isOwn)) || (isFull() && !this.closeIdle(() => true))) {
      socket.end(REFUSAL, () => socket.destroy());
      return;
    }
    this.connections.set(socket, connection);
    this.counts.add(client);
    socket.once("close", () => this.remove(connection));
  }

  /** Closes the least useful idle connection of a kind. Returns whether there was one. */
  private closeIdle(isOfKind: (connection: ClientConnection) => boolean): boolean {
    let idle: ClientConnection | undefined;
    for (const connection of this.connections.values()) {
      if (!isOfKind(connection) || connection.isInUse()) continue;
      if (idle === undefined || isLessUseful(connection, idle)) idle = connection;
    }
    if (idle === undefined) return false;
    this.remove(idle);
    idle.socket.destroy();
    return true;
  }

  private remove(connection: ClientConnection): void {
    if (this.connections.get(connection.socket) === connection) {
      this.connections.delete(connection.socket);
      this.counts.remove(connection.client);
    }
    connection.release();
  }
}

function isLessUseful(one: ClientConnection, other: ClientConnection): boolean {
  return one.wasUsed === other.wasUsed ? one.lastUsed < other.lastUsed : !one.wasUsed;
}
