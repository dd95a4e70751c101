import { type Clock, LruCache } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { encodeMessage } from "./encoding.js";
import { MESSAGES } from "./formats.js";
import { SENT } from "./measurements.js";
import type { AnswerTo, RequestContent, RequestName, ResponseName, RskRequest, RskResponse } from "./messages.js";
import type { OutgoingQueue, QueuedMessage } from "./outgoing-queue.js";

/** Time limit of the deployed client in milliseconds (`spec/07 §B.0`). */
const REQUEST_TIMEOUT = 30_000;
const MAX_IN_FLIGHT = 128;
/** Number of expired requests whose late answers are recognised. */
const MAX_EXPIRED = 1024;

export interface RequestOptions {
  signal?: AbortSignal;
  /** Milliseconds for the answer once the request is sent; also the limit of the wait before. */
  timeout?: number;
}

/**
 * Our requests to one peer. Answers arrive in any order. The peer never answers about data that it lacks
 * (`spec/07 §B.10`, Q6).
 */
export class OwnRequests {
  private readonly pending = new Map<bigint, OwnRequest>();
  private readonly expired = new LruCache<bigint, ResponseName>(MAX_EXPIRED);
  private lastId = 0n;

  constructor(
    private readonly queue: OutgoingQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves with the answer, or with undefined if the peer is silent. Rejects with {@link RlpxError}: `ABORTED`,
   * `CLOSED`, or `TOO_MANY_REQUESTS` if the request could not be sent in time.
   */
  ask<Name extends RequestName>(
    name: Name,
    content: RequestContent<Name>,
    { signal, timeout = REQUEST_TIMEOUT }: RequestOptions,
  ): Promise<AnswerTo<Name> | undefined> {
    if (signal?.aborted) return Promise.reject(new RlpxError({ code: "ABORTED" }));
    if (this.pending.size >= MAX_IN_FLIGHT) return Promise.reject(new RlpxError({ code: "TOO_MANY_REQUESTS" }));
    const request = { type: name, id: ++this.lastId, ...content } as RskRequest;
    return new Promise((resolve, reject) => {
      const pending = new OwnRequest(request, {
        queue: this.queue,
        clock: this.clock,
        timeout,
        signal,
        resolve: resolve as OwnRequestParts["resolve"],
        reject,
        onEnd: (isUnanswered) => {
          this.pending.delete(request.id);
          if (isUnanswered) this.expired.set(request.id, pending.answer);
        },
      });
      this.pending.set(request.id, pending);
      pending.start();
    });
  }

  /** Whether the response answers a pending request, or one that has expired, for which it is late. */
  receive(response: RskResponse): boolean {
    const { id, type } = response;
    const request = this.pending.get(id);
    if (request?.answer === type) {
      request.succeed(response);
      return true;
    }
    const isLate = this.expired.get(id) === type;
    if (isLate) this.expired.delete(id);
    return isLate;
  }

  /** Rejects all pending requests. */
  close(error: RlpxError): void {
    for (const request of [...this.pending.values()]) request.fail(error);
  }
}

interface OwnRequestParts {
  queue: OutgoingQueue;
  clock: Clock;
  timeout: number;
  signal: AbortSignal | undefined;
  resolve(answer: RskResponse | undefined): void;
  reject(error: RlpxError): void;
  /** Called at the end. The peer may still answer a sent request that ends unanswered. */
  onEnd(isUnanswered: boolean): void;
}

/** A request, from being queued until it is answered, expires or fails. */
class OwnRequest {
  readonly answer: ResponseName;
  private readonly message: QueuedMessage;
  private readonly abort = () => this.fail(new RlpxError({ code: "ABORTED" }));
  private isSent = false;
  private cancelTimer: (() => void) | undefined;

  constructor(
    request: RskRequest,
    private readonly parts: OwnRequestParts,
  ) {
    this.answer = MESSAGES[request.type].answer;
    this.message = { ...encodeMessage(request), measured: SENT[request.type], onSent: () => this.sent() };
  }

  start(): void {
    const { queue, clock, timeout, signal } = this.parts;
    const giveUp = () => this.fail(new RlpxError({ code: "TOO_MANY_REQUESTS" }));
    this.cancelTimer = clock.after(timeout, giveUp);
    signal?.addEventListener("abort", this.abort, { once: true });
    if (!queue.add("request", this.message)) giveUp();
  }

  succeed(response: RskResponse): void {
    this.end(false);
    this.parts.resolve(response);
  }

  fail(error: RlpxError): void {
    this.end(this.isSent);
    this.parts.reject(error);
  }

  private sent(): void {
    this.isSent = true;
    this.cancelTimer?.();
    this.cancelTimer = this.parts.clock.after(this.parts.timeout, () => this.expire());
  }

  private expire(): void {
    this.end(true);
    this.parts.resolve(undefined);
  }

  private end(isUnanswered: boolean): void {
    this.cancelTimer?.();
    this.parts.signal?.removeEventListener("abort", this.abort);
    if (!this.isSent) this.parts.queue.remove("request", this.message);
    this.parts.onEnd(isUnanswered);
  }
}
