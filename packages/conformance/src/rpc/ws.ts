import { WebSocket } from "ws";

type Json = ReturnType<typeof JSON.parse>;

/** A WebSocket client on localhost that records all messages. */
export class WsClient {
  /** Messages of subscriptions, in the order of arrival. */
  readonly notifications: Json[] = [];
  private readonly answers: Json[] = [];
  private arrival: (() => void) | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      (message.method === "eth_subscription" ? this.notifications : this.answers).push(message);
      this.arrival?.();
    });
  }

  static open(port: number): Promise<WsClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    return new Promise((resolve, reject) => {
      socket.on("open", () => resolve(new WsClient(socket)));
      socket.on("error", reject);
    });
  }

  /** Sends a message without waiting for a response. */
  send(message: Json): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Sends a request and resolves with its response; one at a time. */
  async ask(request: Json): Promise<Json> {
    this.send(request);
    if (!(await this.until(() => this.answers.length > 0))) throw new Error("no response");
    return this.answers.shift();
  }

  /** Waits until a received message makes the condition true; false after `limit` milliseconds. */
  async until(holds: () => boolean, limit = 2_000): Promise<boolean> {
    const end = Date.now() + limit;
    while (!holds() && Date.now() < end) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, end - Date.now());
        this.arrival = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return holds();
  }

  close(): void {
    this.socket.terminate();
  }
}
