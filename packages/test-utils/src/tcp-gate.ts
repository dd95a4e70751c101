import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The way to one node over TCP, which can be cut and joined again. */
export class TcpGate {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    /** Multiaddr of the node behind, by way of the gate. */
    readonly address: string,
  ) {}

  /** Opens one on a free port before the node with this multiaddr. */
  static async before(address: string): Promise<TcpGate> {
    const [, port] = address.match(/\/tcp\/(\d+)\//)!;
    const server = createServer((caller) => gate.pass(caller, Number(port)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const own = (server.address() as AddressInfo).port;
    const gate = new TcpGate(server, address.replace(/\/tcp\/\d+\//, `/tcp/${own}/`));
    return gate;
  }

  /** Ends every connection, and each new one at once. */
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
      // the end of one side is the end of the other, whatever the reason
      from.on("error", () => undefined);
      from.on("close", () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
