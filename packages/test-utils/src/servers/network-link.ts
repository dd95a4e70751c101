import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";

/** A link to a TCP port of this machine that can be interrupted: no data arrives then, but no connection ends. */
export class NetworkLink {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on("connection", (socket) => this.connect(socket));
  }

  static async to(port: number): Promise<NetworkLink> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new NetworkLink(server, port);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Restores the link. Data sent during the interruption arrives. */
  restore(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** Ends the connections. Data sent during the interruption is lost. */
  reset(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.reset();
    this.server.close();
    await once(this.server, "close");
  }

  private connect(near: Socket): void {
    const far = createConnection(this.target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("error", () => undefined);
      from.on("close", () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.isCut) from.pause();
    }
  }
}
