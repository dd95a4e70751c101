import type { Socket } from "node:net";
import type { RawData, WebSocket } from "ws";
import type { WsConfig } from "../config.js";
import type { Dispatcher } from "../dispatcher.js";
import { serverError } from "../errors.js";
import type { Admission } from "../rate-limit/client-rate-limiter.js";
import type { SubscriptionHub } from "../subscriptions/hub.js";
import type { SubscriberConnection, Topic } from "../subscriptions/topic.js";
import type { Flusher } from "./flusher.js";
import { Outbox } from "./outbox.js";
import { StartingSubscriptions } from "./starting-subscriptions.js";

/** Close codes of RFC 6455, section 7.4.1, and of its registry. */
const GOING_AWAY = 1001;
const UNEXPECTED = 1011;
const TRY_AGAIN_LATER = 1013;

/** Requests of one connection that are worked on at once. */
const MAX_UNDER_WAY = 4;

/** While more than this waits to be sent, no further request is taken: answers do not pile up. */
const ANSWERS_WAITING = 1_048_576;

/** For the close frame to get through, and the peer's own to come back. */
const CLOSING_MILLISECONDS = 5_000;

export interface ConnectionParts {
  config: WsConfig;
  dispatcher: Dispatcher;
  hub: SubscriptionHub;
  flusher: Flusher;
  /** How the caller is limited. */
  admit: Admission | undefined;
}

/** One client over WebSocket (`spec/09 §1.4`): its requests, its subscriptions, and what waits to be sent to it. */
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
    // passes only without any progress of the write under way
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

  /** Sends a ping, or ends a connection that left two of them unanswered. */
  ping(): void {
    if (this.isClosing) return;
    if (this.unansweredPings >= 2) {
      this.close(UNEXPECTED, "pings are not answered");
    } else {
      this.unansweredPings++;
      this.webSocket.ping();
    }
  }

  /** Takes no more requests; resolves when those under way are answered, everything is sent and the peer is gone. */
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
    const caller = { connection: this.subscriber(starting), admit: this.parts.admit, signal: this.gone.signal };
    const { body } = await this.parts.dispatcher.handleText(textOf(data), caller);
    if (this.isClosing) return;
    if (body !== undefined) this.outbox.send(body);
    starting.release();
  }

  /** What methods called by one message see of this connection. */
  private subscriber(starting: StartingSubscriptions): SubscriberConnection {
    return {
      subscribe: (topic) => this.subscribe(topic, starting),
      unsubscribe: (id) => this.unsubscribe(id),
    };
  }

  /** Throws {@link RpcError} `SERVER_ERROR`. */
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

  /** Gives up on a reader that is too slow. */
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

/** Text of a message, sent as text or as bytes; bytes that are not UTF-8 are no JSON either. */
function textOf(data: RawData): string {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : data;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}
