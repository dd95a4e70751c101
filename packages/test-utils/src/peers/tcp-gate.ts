import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** In a multiaddr or an enode URL. */
const PORT = /(?<=\/tcp\/)\d+|(?<=@[\d.]+:)\d+/;

/** A TCP proxy to a node that can be cut and rejoined. */
export class TcpGate {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    /** Address of the node through the proxy. */
    readonly address: string,
  ) {}

  /** Opens a proxy on a free port for the node with this multiaddr or enode URL. */
  static async before(address: string): Promise<TcpGate> {
    const [port] = address.match(PORT)!;
    const server = createServer((caller) => gate.pass(caller, Number(port)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const own = (server.address() as AddressInfo).port;
    const gate = new TcpGate(server, address.replace(PORT, String(own)));
    return gate;
  }

  /** Closes every connection, and new ones immediately. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  join(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private pass(caller: Socket, port: number): void {
    if (this.isCut) {
      caller.destroy();
      return;
    }
    const called = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [caller, called],
      [called, caller],
    ] as const) {
      this.sockets.add(from);
      from.pipe(to);
      // When one side ends for any reason, the other one is closed too.
      from.on("error", () => undefined);
      from.on("close", () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
