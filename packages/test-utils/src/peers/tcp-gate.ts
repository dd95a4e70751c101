import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Pattern of the port in a multiaddr or an enode URL. */
const PORT = /(?<=\/tcp\/)\d+|(?<=@[\d.]+:)\d+/;

/** A TCP proxy to a node that can be cut and rejoined. */
export class TcpGate {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    /** Address of the node through the proxy. */
    readonly address: string,
  ) {}

  /** Opens a proxy on a free port for the node with this multiaddr or enode URL. */
  static async before(address: string): Promise<TcpGate> {
    const [port] = address.match(PORT)!;
    const server = createServer((caller) => gate.pass(caller, Number(port)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const own = (server.address() as AddressInfo).port;
    const gate = new TcpGate(server, own, address.replace(PORT, String(own)));
    return gate;
  }

  /** Closes every connection, and refuses new ones: nodes would count closed ones as failed handshakes. */
  cut(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  join(): void {
    if (!this.server.listening) this.server.listen(this.port, "127.0.0.1");
  }

  close(): void {
    this.cut();
  }

  private pass(caller: Socket, port: number): void {
    const called = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [caller, called],
      [called, caller],
    ] as const) {
      this.sockets.add(from);
      from.pipe(to);
      // The end of one side also closes the other one.
      from.on("error", () => undefined);
      from.on("close", () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
