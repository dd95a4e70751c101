import { type ClientOptions, WebSocket } from "ws";
import type { Json } from "./service.js";

/** A client that records all messages. */
export class WsClient {
  /** `params` of notifications, in the order of arrival. */
  readonly notifications: { subscription: string; result: Json }[] = [];
  /** Batches, and messages without id that are not notifications. */
  readonly others: Json[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private readonly waiting = new Map<Json, (response: Json) => void>();
  private arrival: (() => void) | undefined;
  private nextId = 1;

  private constructor(readonly socket: WebSocket) {
    socket.on("message", (data) => this.receive(JSON.parse(String(data))));
    socket.on("error", () => {});
    this.closed = new Promise((resolve) =>
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() })),
    );
  }

  /** Opens a connection. Rejects with the HTTP status if the server rejects the upgrade. */
  static open(port: number, path = "/", options: ClientOptions = {}): Promise<WsClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
    const client = new WsClient(socket);
    return new Promise((resolve, reject) => {
      socket.on("open", () => resolve(client));
      socket.on("unexpected-response", (_request, response) => reject(response.statusCode));
      socket.on("error", reject);
    });
  }

  /** Resolves to the whole response. */
  ask(method: string, ...params: Json[]): Promise<Json> {
    const id = this.nextId++;
    const answered = new Promise<Json>((resolve) => this.waiting.set(id, resolve));
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return answered;
  }

  async result(method: string, ...params: Json[]): Promise<Json> {
    const response = await this.ask(method, ...params);
    if (response.error !== undefined) throw response.error;
    return response.result;
  }

  /** Sends text and resolves to the next message that is not a response to `ask`. */
  async raw(text: string | Uint8Array): Promise<Json> {
    const count = this.others.length;
    this.socket.send(text);
    await this.until(() => this.others.length > count);
    return this.others.at(-1);
  }

  /** Resolves once a condition on the received messages holds. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.arrival = resolve));
  }

  /** Results of one subscription. */
  of(subscription: string): Json[] {
    return this.notifications.filter((one) => one.subscription === subscription).map(({ result }) => result);
  }

  close(): void {
    this.socket.close();
  }

  private receive(message: Json): void {
    const answered = this.waiting.get(message.id);
    if (message.method === "eth_subscription") this.notifications.push(message.params);
    else if (answered === undefined) this.others.push(message);
    else answered(message);
    this.arrival?.();
  }
}
