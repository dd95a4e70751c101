import { WebSocket } from "ws";
import type { Json } from "../rpc-client.js";

/** A WebSocket client that awaits one response at a time. */
export class WsClient {
  notifications = 0;
  /** Receives the result of each notification. */
  onNotification: (result: Json) => void = () => undefined;
  private answered: ((response: Json) => void) | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      if (message.method === "eth_subscription") {
        this.notifications++;
        this.onNotification(message.params.result);
      } else this.answer(message);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => this.answer(undefined));
  }

  static open(url: string): Promise<WsClient> {
    const socket = new WebSocket(url);
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(new WsClient(socket)));
      socket.once("error", reject);
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Sends a message. Resolves to the response; undefined if the node closes the connection, as it may after junk. */
  send(message: string | Uint8Array): Promise<Json> {
    if (!this.isOpen) return Promise.resolve(undefined);
    const answered = new Promise<Json>((resolve) => {
      this.answered = resolve;
    });
    this.socket.send(message);
    return answered;
  }

  call({ method, params }: { method: string; params: readonly unknown[] }): Promise<Json> {
    return this.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  }

  /** Closes the connection properly, or drops it without notice. */
  async end(inOrder: boolean): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => this.socket.once("close", resolve));
    if (inOrder) this.socket.close();
    else this.socket.terminate();
    await closed;
  }

  private answer(response: Json): void {
    const { answered } = this;
    this.answered = undefined;
    answered?.(response);
  }
}
