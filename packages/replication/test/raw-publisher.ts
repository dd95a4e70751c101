import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A NATS client that sends everything that a server accepts, even what client libraries refuse to send or read. */
export class RawPublisher {
  private constructor(private readonly socket: Socket) {}

  static async open(port: number): Promise<RawPublisher> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "data");
    socket.write('CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n');
    return new RawPublisher(socket);
  }

  /** Resolves when the server has the message. `headers`: lines after the protocol's, separated by line breaks. */
  async publish(subject: string, headers: string | undefined, data: string, reply = ""): Promise<void> {
    const head = headers === undefined ? "" : `NATS/1.0\r\n${headers}\r\n\r\n`;
    const [size, total] = [Buffer.byteLength(head), Buffer.byteLength(head) + Buffer.byteLength(data)];
    const verb =
      headers === undefined ? `PUB ${subject} ${reply} ${total}` : `HPUB ${subject} ${reply} ${size} ${total}`;
    const pong = once(this.socket, "data");
    this.socket.write(`${verb}\r\n${head}${data}\r\nPING\r\n`);
    await pong;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Header lines at which the client library throws. */
export const MALFORMED_HEADERS: readonly string[] = [
  "Bad Key: x",
  "\u0001: x",
  `${"K".repeat(300_000)}: x`,
  "Cambium-Mac: x\r\nÄ: y",
];
