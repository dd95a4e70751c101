import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { WsConfig } from "../config.js";
import { serverError } from "../errors.js";
import type { RequestAdmission } from "../rate-limit/client-rate-limiter.js";
import type { Client } from "../requests/client.js";
import type { Dispatcher } from "../requests/dispatcher.js";
import type { SubscriptionHub } from "../subscriptions/hub.js";
import type { SubscriberConnection, Topic } from "../subscriptions/topic.js";
import type { Flusher } from "./flusher.js";
import { Outbox } from "./outbox.js";
import { StartingSubscriptions } from "./starting-subscriptions.js";

/** Close codes of RFC 6455, section 7.4.1, and of the IANA registry. */
const GOING_AWAY = 1001;
const UNEXPECTED = 1011;
const TRY_AGAIN_LATER = 1013;

/** Maximum number of in-flight requests of one connection. */
const MAX_UNDER_WAY = 4;

/** Back-pressure: while more bytes than this are queued, no further request is read. */
const ANSWERS_WAITING = 1_048_576;

/** Time limit for the closing handshake. */
const CLOSING_MILLISECONDS = 5_000;

export interface ConnectionParts {
  config: WsConfig;
  dispatcher: Dispatcher;
  hub: SubscriptionHub;
  flusher: Flusher;
  /** Rate limit of the client. */
  admit: RequestAdmission | undefined;
  client: Client;
}

/** A WebSocket client (`spec/09 §1.4`): its requests, subscriptions and outgoing messages. */
export class Connection {
  private readonly outbox: Outbox;
  private readonly subscriptions = new Map<string, () => void>();
  private readonly gone = new AbortController();
  private requests: RawData[] = [];
  private underWay = 0;
  private unansweredPings = 0;
  private isClosing = false;
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly webSocket: WebSocket,
    socket: Socket,
    private readonly parts: ConnectionParts,
  ) {
    this.outbox = new Outbox(webSocket, socket, parts.config.maxQueuedBytes, parts.flusher, {
      onOverflow: () => this.drop("too many notifications are waiting to be read"),
      onDrain: () => this.takeRequests(),
    });
    // The timeout expires only if the pending write makes no progress.
    socket.setTimeout(parts.config.writeTimeout);
    socket.on("timeout", () => {
      if (this.outbox.waiting > 0) this.drop("nothing was read for too long");
    });
    webSocket.on("message", (data) => this.receive(data));
    webSocket.on("pong", () => {
      this.unansweredPings = 0;
    });
    webSocket.on("close", () => this.end());
  }

  /** Sends a ping, or closes the connection after two unanswered pings. */
  ping(): void {
    if (this.isClosing) return;
    if (this.unansweredPings >= 2) {
      this.close(UNEXPECTED, "pings are not answered");
    } else {
      this.unansweredPings++;
      this.webSocket.ping();
    }
  }

  /**
   * Stops reading requests; resolves once in-flight requests are answered, everything is sent and the socket is closed.
   */
  async finish(): Promise<void> {
    const ended = new Promise((resolve) => this.webSocket.once("close", resolve));
    await new Promise<void>((resolve) => {
      this.onIdle = resolve;
      this.requests = [];
      this.tellIfIdle();
    });
    this.webSocket.resume();
    this.close(GOING_AWAY, "the server is closing");
    if (this.webSocket.readyState !== this.webSocket.CLOSED) await ended;
  }

  terminate(): void {
    this.webSocket.terminate();
  }

  private receive(data: RawData): void {
    if (this.isClosing || this.onIdle !== undefined) return;
    this.requests.push(data);
    this.takeRequests();
  }

  private takeRequests(): void {
    while (this.requests.length > 0 && this.underWay < MAX_UNDER_WAY && this.outbox.waiting < ANSWERS_WAITING) {
      const data = this.requests.shift()!;
      this.underWay++;
      this.answer(data).finally(() => {
        this.underWay--;
        this.takeRequests();
      });
    }
    this.tellIfIdle();
    if (this.isClosing || this.onIdle !== undefined) return;
    if (this.requests.length > 0) this.webSocket.pause();
    else if (this.webSocket.isPaused) this.webSocket.resume();
  }

  private tellIfIdle(): void {
    if (this.underWay === 0 && this.outbox.waiting === 0) this.onIdle?.();
  }

  private async answer(data: RawData): Promise<void> {
    const starting = new StartingSubscriptions();
    const { admit, client } = this.parts;
    const caller = { connection: this.subscriber(starting), admit, client, signal: this.gone.signal };
    const { body } = await this.parts.dispatcher.handleText(textOf(data), caller);
    if (this.isClosing) return;
    if (body !== undefined) this.outbox.send(body);
    starting.release();
  }

  /** This connection as the methods of one message see it. */
  private subscriber(starting: StartingSubscriptions): SubscriberConnection {
    return {
      subscribe: (topic) => this.subscribe(topic, starting),
      unsubscribe: (id) => this.unsubscribe(id),
    };
  }

  /** Throws {@link RpcError} `SERVER_ERROR` if the connection has too many subscriptions. */
  private subscribe(topic: Topic, starting: StartingSubscriptions): string {
    if (this.subscriptions.size >= this.parts.config.maxSubscriptions) throw serverError("too many subscriptions");
    const deliver = starting.hold((message) => this.outbox.post(message));
    const { id, end } = this.parts.hub.subscribe(topic, deliver);
    if (this.isClosing) end();
    else this.subscriptions.set(id, end);
    return id;
  }

  private unsubscribe(id: string): boolean {
    this.subscriptions.get(id)?.();
    return this.subscriptions.delete(id);
  }

  /** Closes the connection of a client that reads too slowly. */
  private drop(reason: string): void {
    this.outbox.clear();
    this.close(TRY_AGAIN_LATER, reason);
  }

  private close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.end();
    this.webSocket.close(code, reason);
    setTimeout(() => this.webSocket.terminate(), CLOSING_MILLISECONDS).unref();
  }

  private end(): void {
    this.isClosing = true;
    this.requests = [];
    this.gone.abort();
    for (const end of this.subscriptions.values()) end();
    this.subscriptions.clear();
    this.onIdle?.();
  }
}

/** Text of a text or binary message. Bytes that are not UTF-8 decode to text that is not valid JSON. */
function textOf(data: RawData): string {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : data;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}
