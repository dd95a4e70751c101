import type { Socket } from "node:net";
import {
  nextTurn,
  presenceBy,
  type SubscriberConnection,
  type SubscriptionHub,
  serverError,
  type Topic,
  TurnTaker,
} from "@cambium/api";
import type { WebSocket } from "ws";
import type { WsConfig } from "../config.js";
import type { ClientConnection } from "../connections/client-connection.js";
import { readLater } from "../connections/paced-reading.js";
import type { KeyedClient } from "../keys/keyed-client.js";
import type { RequestAdmission } from "../rate-limit/client-rate-limiter.js";
import type { Dispatcher } from "../requests/interface.js";
import { answered, type UsageCounter } from "../usage/usage-table.js";
import type { Flusher } from "./flusher.js";
import type { MessageHeads } from "./message-heads.js";
import { MessageMeter } from "./message-meter.js";
import { Outbox } from "./outbox.js";
import { StartingSubscriptions } from "./starting-subscriptions.js";

/** Close codes of RFC 6455, section 7.4.1, and of the IANA registry. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const UNEXPECTED = 1011;
const TRY_AGAIN_LATER = 1013;

/** Maximum number of in-flight requests of one connection. */
const MAX_UNDER_WAY = 4;

/** Number of queued bytes above which no further request is read, as back-pressure. */
const ANSWERS_WAITING = 1_048_576;

/** Length in bytes above which messages are read in turns, and decoded in separate turns of the event loop. */
const LARGE_MESSAGE = 65_536;

/** Number of queued requests at which other work runs between them. */
const MANY_REQUESTS = 8;

/** Maximum number of pings and pongs in a second. */
const MAX_CONTROL_FRAMES = 100;

/** Number of unread bytes above which pings are not answered. */
const ANSWERED_PING_BYTES = 65_536;

/** Time limit for the closing handshake, in milliseconds. */
const CLOSING_MILLISECONDS = 5_000;

export interface ConnectionParts {
  config: WsConfig;
  dispatcher: Dispatcher;
  hub: SubscriptionHub;
  flusher: Flusher;
  /** The limits' view of the connection. */
  held: ClientConnection;
  /** Milliseconds for receiving a message. */
  receiveTimeout: number;
  /** Rate limit of the client. */
  admit: RequestAdmission | undefined;
  client: KeyedClient;
  /** Counter for messages to clients with API keys. */
  usage: UsageCounter | undefined;
  /** Heads in messages; undefined if the client has not requested them. */
  heads: MessageHeads | undefined;
}

/** A WebSocket client (`spec/09 §1.4`): its requests, subscriptions and outgoing messages. */
export class Connection {
  private readonly outbox: Outbox;
  private readonly subscriptions = new Map<string, () => void>();
  private readonly gone = new AbortController();
  private readonly presence = presenceBy(this.gone.signal);
  private readonly meter = new MessageMeter();
  private messageTimer: NodeJS.Timeout | undefined;
  private closingTimer: NodeJS.Timeout | undefined;
  /** Number of emitted messages whose end the meter has not seen. */
  private emitted = 0;
  private controlFrames = { counted: 0, since: 0 };
  private lastPing: Buffer | undefined;
  private isPaced = false;
  private requests: Buffer[] = [];
  /** Size of the unanswered requests, in bytes. */
  private requestBytes = 0;
  /** Time slices of a long queue of requests. */
  private turns: TurnTaker | undefined;
  private inProgress = 0;
  private unansweredPings = 0;
  private isClosing = false;
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Socket,
    private readonly parts: ConnectionParts,
  ) {
    const { config, held, flusher } = parts;
    this.outbox = new Outbox(webSocket, socket, config.maxQueuedBytes, held.unsent, flusher, {
      onOverflow: () => this.drop("too many notifications are waiting to be read"),
      onDrain: () => this.takeRequests(),
    });
    // The timeout expires only if the pending write makes no progress.
    socket.setTimeout(config.writeTimeout);
    socket.on("timeout", () => {
      if (this.outbox.waiting > 0) this.drop("nothing was read for too long");
    });
    this.obeyLimits();
    // This listener runs after the receiver, which first emits the messages of earlier chunks.
    socket.on("data", (chunk: Buffer) => this.measure(chunk));
    webSocket.on("message", (data) => this.receive(data as Buffer));
    webSocket.on("ping", (data) => this.answerPing(data));
    webSocket.on("pong", () => {
      this.unansweredPings = 0;
    });
    // The receiver sends a close frame, which the client need not answer.
    webSocket.on("error", () => this.terminateLater());
    webSocket.on("close", () => {
      this.end();
      // The timer would keep the received bytes until it expires.
      clearTimeout(this.closingTimer);
    });
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
   * Stops reading requests. Resolves once in-flight requests are answered, everything is sent and the socket is closed.
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

  private obeyLimits(): void {
    const { held } = this.parts;
    held.wasUsed = false;
    held.isInUse = () =>
      this.subscriptions.size > 0 || this.inProgress > 0 || this.requests.length > 0 || this.outbox.waiting > 0;
    held.refuse = () => this.shed("too many requests are waiting");
    held.drop = () => this.shed("too much is waiting to be read");
  }

  /** Counts the received bytes. */
  private measure(chunk: Buffer): void {
    const { meter, parts } = this;
    meter.add(chunk);
    if (meter.unfinished > 0 && !this.isClosing) {
      const onTimeout = () => this.shed("the message is not complete");
      this.messageTimer ??= setTimeout(onTimeout, parts.receiveTimeout).unref();
    }
    this.countUnread();
    this.limitControlFrames();
    if (meter.unfinished > LARGE_MESSAGE && !this.isPaced) this.pace();
  }

  /** Counts messages that are incomplete, are being inflated, or are not answered. */
  private countUnread(): void {
    const { complete, unfinished } = this.meter;
    // The receiver may emit a message before or after the meter has seen its end.
    const emitted = Math.min(this.emitted, complete.length);
    this.emitted -= emitted;
    complete.splice(0, emitted);
    const inflated = complete.reduce((sum, bytes) => sum + bytes, 0);
    const { unread } = this.parts.held;
    const more = unfinished + inflated + this.requestBytes - unread.bytes;
    if (more < 0) unread.give(-more);
    else if (!unread.take(more)) this.shed("too many requests are waiting");
  }

  /** Continues with a large message in a later turn. */
  private pace(): void {
    this.isPaced = true;
    this.webSocket.pause();
    readLater(() => {
      this.isPaced = false;
      this.takeRequests();
    });
  }

  private limitControlFrames(): void {
    const { counted, since } = this.controlFrames;
    const now = performance.now();
    if (now - since >= 1000) this.controlFrames = { counted: this.meter.controlFrames, since: now };
    else if (this.meter.controlFrames - counted > MAX_CONTROL_FRAMES) this.close(POLICY_VIOLATION, "too many pings");
  }

  /** Answers the last of the pings that arrive together, as RFC 6455, section 5.5.3, permits. */
  private answerPing(data: Buffer): void {
    if (this.lastPing === undefined) {
      setImmediate(() => {
        const ping = this.lastPing;
        this.lastPing = undefined;
        if (!this.isClosing && this.socket.writableLength < ANSWERED_PING_BYTES) this.webSocket.pong(ping);
      });
    }
    this.lastPing = data;
  }

  private receive(data: Buffer): void {
    this.stopMessageTimer();
    this.emitted++;
    if (this.isClosing || this.onIdle !== undefined) return;
    this.requests.push(data);
    this.requestBytes += data.length;
    // The message was inflated; the meter will see the end of other messages.
    if (this.meter.complete.length > 0) this.countUnread();
    this.takeRequests();
  }

  private stopMessageTimer(): void {
    clearTimeout(this.messageTimer);
    this.messageTimer = undefined;
  }

  private takeRequests(): void {
    while (this.requests.length > 0 && this.inProgress < MAX_UNDER_WAY && this.outbox.waiting < ANSWERS_WAITING) {
      if (this.requests.length > MANY_REQUESTS) this.turns ??= new TurnTaker();
      const data = this.requests.shift()!;
      this.inProgress++;
      this.parts.held.begin();
      this.answer(data).finally(() => {
        this.inProgress--;
        this.requestBytes -= data.length;
        this.parts.held.end();
        this.parts.held.unread.give(data.length);
        this.takeRequests();
      });
    }
    this.tellIfIdle();
    if (this.requests.length === 0) this.turns = undefined;
    if (this.isClosing || this.onIdle !== undefined) return;
    if (this.requests.length > 0 || this.isPaced) this.webSocket.pause();
    else if (this.webSocket.isPaused) this.webSocket.resume();
  }

  private tellIfIdle(): void {
    if (this.inProgress === 0 && this.outbox.waiting === 0) this.onIdle?.();
  }

  private async answer(data: Buffer): Promise<void> {
    await (data.length > LARGE_MESSAGE ? nextTurn() : this.turns?.pause());
    const starting = new StartingSubscriptions();
    const { admit, client, heads } = this.parts;
    const caller = { connection: this.subscriber(starting), admit, client, presence: this.presence };
    const text = textOf(data);
    const refusal = await heads?.refusal(text);
    const body = refusal ?? (await this.parts.dispatcher.handleText(text, caller)).body;
    if (this.isClosing) return;
    if (body !== undefined) this.outbox.send(heads?.marked(body) ?? body);
    starting.release();
  }

  /** Returns the view of this connection for the methods of one message. */
  private subscriber(starting: StartingSubscriptions): SubscriberConnection {
    return {
      subscribe: (topic) => this.subscribe(topic, starting),
      unsubscribe: (id) => this.unsubscribe(id),
    };
  }

  /** Throws {@link RpcError} `SERVER_ERROR` if the connection has too many subscriptions. */
  private subscribe(topic: Topic, starting: StartingSubscriptions): string {
    if (this.subscriptions.size >= this.parts.config.maxSubscriptions) throw serverError("too many subscriptions");
    const { client, usage } = this.parts;
    const deliver = starting.hold((message) => {
      this.outbox.post(message);
      if (client.keyName !== undefined) usage?.add(answered(client.keyName, "notification", message.length, false));
    });
    const { id, end } = this.parts.hub.subscribe(topic, deliver, client);
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

  /** Closes the connection and frees its memory immediately. */
  private shed(reason: string): void {
    this.drop(reason);
    // The close frame is sent in this turn if anything can be sent.
    setImmediate(() => this.terminate());
  }

  private close(code: number, reason: string): void {
    if (this.isClosing) return;
    this.end();
    this.webSocket.close(code, reason);
    this.terminateLater();
  }

  private terminateLater(): void {
    this.closingTimer ??= setTimeout(() => this.terminate(), CLOSING_MILLISECONDS).unref();
  }

  private end(): void {
    this.isClosing = true;
    this.stopMessageTimer();
    this.requests = [];
    this.gone.abort();
    for (const end of this.subscriptions.values()) end();
    this.subscriptions.clear();
    this.onIdle?.();
  }
}

/** Returns the text of a text or binary message. Bytes that are not UTF-8 decode to text that is not valid JSON. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "";
  }
}
