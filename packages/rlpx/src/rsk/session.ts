import { type Clock, type Logger, TokenBucket } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { decodeMessage, encodeMessage } from "./encoding.js";
import { MESSAGES } from "./formats.js";
import { RECEIVED, SENT } from "./measurements.js";
import type { MessageChannel } from "./message-channel.js";
import type {
  AnswerTo,
  RequestContent,
  RequestName,
  RskMessage,
  RskNotification,
  RskRequest,
  RskResponse,
} from "./messages.js";
import { MAX_QUEUED_ANSWERS, OutgoingQueue, type Urgency } from "./outgoing-queue.js";
import { OwnRequests, type RequestOptions } from "./own-requests.js";

/**
 * Maximum rate of a peer's messages: 200 a second on average. A deployed node sends at most about 100
 * (`spec/07 §A.2.4`).
 */
const INCOMING_RATE = { tokens: 1000, window: 5000 };

/** Requests of a peer; `getBlock` is answered by a `block`. */
export type IncomingRequest = RskRequest | Extract<RskNotification, { type: "getBlock" }>;
/** Answers to {@link IncomingRequest}. */
export type OutgoingAnswer = RskResponse | Extract<RskNotification, { type: "block" }>;
/** Messages that are no requests. */
export type IncomingNotification = Exclude<RskNotification, { type: "getBlock" }>;

/** Handles the messages of a peer. Errors of handlers are logged. */
export interface SessionHandlers {
  /** Answers with {@link RskSession.respond}, or not at all. Resolves when it has. */
  onRequest(request: IncomingRequest): void | Promise<void>;
  onNotification(message: IncomingNotification): void;
  /** Handles a response that was not requested. Late responses are dropped. */
  onUnexpected(response: RskResponse): void;
  /** Called for a message that is dropped because the peer sends too many. */
  onExcess(): void;
  /** Called with the error for which the session closes. */
  onMalformed(error: RlpxError): void;
}

export interface RskSessionParts {
  /** Version of the capability. */
  version: number;
  channel: MessageChannel;
  handlers: SessionHandlers;
  clock: Clock;
  logger: Logger;
}

/** The `rsk` capability on one connection (`spec/07 §A.3`): matches answers to requests and bounds both directions. */
export class RskSession {
  private readonly queue: OutgoingQueue;
  private readonly requests: OwnRequests;
  private readonly incoming = new TokenBucket(INCOMING_RATE);
  private closed: RlpxError | undefined;
  private serving = 0;
  private refused = 0;

  constructor(private readonly parts: RskSessionParts) {
    this.queue = new OutgoingQueue(parts.channel, parts.clock);
    this.requests = new OwnRequests(this.queue, parts.clock);
  }

  /** Number of the peer's requests that were left unanswered because too many waited. */
  get refusedRequests(): number {
    return this.refused + this.queue.expired;
  }

  /**
   * Sends a request. Resolves with the answer, or with undefined if none arrives in time: a peer is silent about data
   * that it lacks. Rejects with {@link RlpxError} `ABORTED`, `CLOSED` or `TOO_MANY_REQUESTS`.
   */
  request<Name extends RequestName>(
    name: Name,
    content: RequestContent<Name>,
    options: RequestOptions = {},
  ): Promise<AnswerTo<Name> | undefined> {
    return this.closed === undefined ? this.requests.ask(name, content, options) : Promise.reject(this.closed);
  }

  /**
   * Sends a message; `onSent` runs once it has left. Returns false if the message is dropped because too many wait.
   * Throws {@link RlpxError} `TOO_LARGE`.
   */
  notify(message: RskNotification, onSent?: () => void): boolean {
    return this.queue.add(urgencyOf(message), { ...encodeMessage(message), measured: SENT[message.type], onSent });
  }

  /** Like {@link RskSession.notify}, for an answer, which has the id of the request. */
  respond(answer: OutgoingAnswer): boolean {
    const isQueued = this.queue.add("answer", { ...encodeMessage(answer), measured: SENT[answer.type] });
    if (!isQueued) this.refused++;
    return isQueued;
  }

  /** Handles a message of the peer. `payload` must not change afterwards. */
  receive(code: number, payload: Uint8Array): void {
    if (this.closed !== undefined) return;
    if (!this.incoming.take(1, Math.floor(this.parts.clock.now()))) {
      this.guard(() => this.parts.handlers.onExcess());
      return;
    }
    const message = this.decode(code, payload);
    if (message === undefined) return;
    RECEIVED[message.type].add(payload.length);
    this.dispatch(message);
  }

  /** Rejects all requests with `CLOSED` and closes the channel. */
  close(reason: string): void {
    if (this.closed !== undefined) return;
    this.closed = new RlpxError({ code: "CLOSED", reason });
    this.queue.close();
    this.requests.close(this.closed);
    this.parts.channel.close(reason);
  }

  private decode(code: number, payload: Uint8Array): RskMessage | undefined {
    try {
      return decodeMessage(code, payload, this.parts.version);
    } catch (error) {
      if (!(error instanceof RlpxError)) throw error;
      if (error.code === "UNKNOWN_MESSAGE") return undefined;
      this.guard(() => this.parts.handlers.onMalformed(error));
      this.close(error.message);
      return undefined;
    }
  }

  private dispatch(message: RskMessage): void {
    const { handlers } = this.parts;
    if (isIncomingRequest(message)) this.serve(message);
    else if (!isResponse(message)) this.guard(() => handlers.onNotification(message));
    else if (!this.requests.receive(message)) this.guard(() => handlers.onUnexpected(message));
  }

  private serve(request: IncomingRequest): void {
    if (this.serving + this.queue.waiting("answer") >= MAX_QUEUED_ANSWERS) {
      this.refused++;
      return;
    }
    this.guard(() => {
      const served = this.parts.handlers.onRequest(request);
      if (served !== undefined) void this.track(served);
    });
  }

  private async track(served: Promise<void>): Promise<void> {
    this.serving++;
    try {
      await served;
    } catch (error) {
      this.logFailure(error);
    } finally {
      this.serving--;
    }
  }

  private guard(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.logFailure(error);
    }
  }

  private logFailure(error: unknown): void {
    this.parts.logger.error({ err: error }, "Failed to handle a message of a peer");
  }
}

function isIncomingRequest(message: RskMessage): message is IncomingRequest {
  return message.type === "getBlock" || (message.type !== "networkStatus" && MESSAGES[message.type].kind === "request");
}

function isResponse(message: RskMessage): message is RskResponse {
  return message.type !== "networkStatus" && MESSAGES[message.type].kind === "response";
}

function urgencyOf({ type }: RskNotification): Urgency {
  if (type === "transactions") return "transactions";
  return type === "getBlock" ? "request" : "announcement";
}
