import { connect, type Socket } from "node:net";

/** A request for a WebSocket. */
export const UPGRADE =
  "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
  "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";

/** A TCP connection to a server that a test misuses. */
export class RawSocket {
  /** Everything received so far, as Latin-1. */
  received = "";
  /** Resolves when the connection is closed for any reason. */
  readonly closed: Promise<void>;

  private waiting: (() => void)[] = [];

  private constructor(readonly socket: Socket) {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      this.received += chunk.toString("latin1");
      this.wake();
    });
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.once("close", () => this.wake());
  }

  static open(port: number): Promise<RawSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => resolve(new RawSocket(socket)));
      socket.once("error", reject);
    });
  }

  /** Opens a WebSocket without a client library. */
  static async upgrade(port: number): Promise<RawSocket> {
    const raw = await RawSocket.open(port);
    raw.socket.write(UPGRADE);
    await raw.until(() => raw.received.includes("\r\n\r\n"));
    raw.received = "";
    return raw;
  }

  /** Resolves once a condition on the received text holds; rejects if the connection is closed before. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.socket.closed) throw new Error(`closed after ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/** Returns the head of a POST request with a body of `length` bytes, or in chunks. */
export function postHead(length?: number): string {
  const framing = length === undefined ? "transfer-encoding: chunked" : `content-length: ${length}`;
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
}

/** A frame from a client, masked with zeros (RFC 6455, section 5.2); `first` is its first byte: flags and opcode. */
export function frame(first: number, payload: Uint8Array): Buffer {
  const isShort = payload.length < 126;
  const head = Buffer.alloc(isShort ? 6 : 14);
  head.set([first, 0x80 | (isShort ? payload.length : 127)]);
  if (!isShort) head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
