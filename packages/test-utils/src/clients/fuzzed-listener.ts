import { RawSocket } from "./raw-socket.js";

/** A valid request and a part of its response. */
export interface ValidExchange {
  request: string;
  answer: string;
}

/** An HTTP listener to which a fuzz target connects with each of its inputs. */
export class FuzzedListener {
  private other: RawSocket | undefined;

  constructor(
    private readonly port: number,
    private readonly valid: ValidExchange,
  ) {}

  /**
   * Sends bytes on a new connection. Resolves to the received text, as Latin-1, once the listener has closed the
   * connection of a client that sends no more. A valid request on another connection is answered in between.
   */
  async exchange(bytes: Uint8Array): Promise<string> {
    const raw = await RawSocket.open(this.port);
    raw.socket.write(bytes);
    // The listener has read the bytes now, and answered most requests among them.
    await this.requestOfAnother();
    raw.socket.end();
    await raw.closed;
    return raw.received;
  }

  private async requestOfAnother(): Promise<void> {
    const { request, answer } = this.valid;
    if (this.other === undefined || this.other.socket.destroyed) this.other = await RawSocket.open(this.port);
    const { other } = this;
    other.received = "";
    other.socket.write(request);
    await other.until(() => other.received.includes(answer));
  }
}
