import { createInbox, headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { headersOf, listen } from "../connection.js";
import { ReplicationError } from "../errors.js";
import type { SealedStream } from "../seal.js";
import {
  type AnswerKind,
  cancelSubject,
  FROM_HEADER,
  KIND_HEADER,
  MAX_SILENCE,
  type PieceServerState,
  pieceSubject,
  serviceName,
  TIMEOUT_HEADER,
} from "./piece-messages.js";
import { type FoundService, findServices } from "./service-discovery.js";

/** Milliseconds for the answers of all replicas, for which a list is fresh, and for which it is used while it is renewed. */
const FIND_TIME = 200;
const FRESH = 1_000;
const USABLE = 10_000;
/** Blocks that a replica may be behind, as it said when it was asked last. */
const MAX_LAG = 20;
/** Milliseconds for which a replica that has failed gets no pieces. */
const FAILURE_PAUSE = 5_000;

/** Status of a message without a receiver. */
const NO_RESPONDERS = 503;

/** A replica that searches pieces. */
interface RemoteServer {
  /** See `PieceServer` of the package rpc. */
  search(piece: string, timeout: number, maxBytes: number, signal: AbortSignal): Promise<string | undefined>;
}

/** Finds the replicas of a stream that search pieces, and asks them. */
export class PieceRequests {
  private found: { services: FoundService[]; at: number } = { services: [], at: Number.NEGATIVE_INFINITY };
  private finding: Promise<void> | undefined;
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly connection: () => NatsConnection | undefined,
    private readonly address: SealedStream,
    /** The id of this node among the replicas; undefined if it serves no pieces. */
    private readonly ownId: () => string | undefined,
  ) {}

  /** Those that have about reached the block `head` and have all blocks from `from` on, the least busy first; none while NATS is away. */
  async find(head: number, from: number): Promise<RemoteServer[]> {
    const connection = this.connection();
    if (connection === undefined || connection.isClosed()) return [];
    const age = performance.now() - this.found.at;
    if (age > FRESH) {
      this.finding ??= this.renew(connection).finally(() => {
        this.finding = undefined;
      });
      if (age > USABLE) await this.finding;
    }
    const now = performance.now();
    return this.found.services
      .map((service) => ({ service, state: stateOf(service.data) }))
      .filter(({ service: { id }, state }) => {
        const isRested = now - (this.failures.get(id) ?? Number.NEGATIVE_INFINITY) > FAILURE_PAUSE;
        return id !== this.ownId() && isRested && state.head >= head - MAX_LAG && state.from <= from;
      })
      .sort((a, b) => a.state.load - b.state.load)
      .map(({ service }) => this.server(connection, service));
  }

  private async renew(connection: NatsConnection): Promise<void> {
    const services = await findServices(connection, serviceName(this.address), FIND_TIME).catch(() => []);
    this.found = { services, at: performance.now() };
    for (const id of this.failures.keys()) if (!services.some((one) => one.id === id)) this.failures.delete(id);
  }

  private server(connection: NatsConnection, { id }: FoundService): RemoteServer {
    return {
      search: async (piece, timeout, maxBytes, signal) => {
        try {
          return await new PieceRequest(connection, this.address, id, maxBytes).send(
            piece,
            this.ownId() ?? "",
            timeout,
            signal,
          );
        } catch (error) {
          if (!signal.aborted) this.failures.set(id, performance.now());
          throw error;
        }
      },
    };
  }
}

/** Decodes the statistics of a service, which may be anything. */
function stateOf(data: unknown): PieceServerState {
  const { head, from, load } = (data ?? {}) as Partial<Record<keyof PieceServerState, unknown>>;
  const number = (value: unknown, otherwise: number) => (Number.isSafeInteger(value) ? (value as number) : otherwise);
  return { head: number(head, -1), from: number(from, Number.POSITIVE_INFINITY), load: number(load, 0) };
}

/** One piece, from the request to the last part of its result. */
class PieceRequest {
  private readonly inbox = createInbox();
  private readonly subject: string;
  private readonly parts: Uint8Array[] = [];
  /** Number of messages of the answer so far. */
  private count = 0;
  private bytes = 0;
  private silence: NodeJS.Timeout | undefined;
  private isEnded = false;
  private end: (text: string | undefined) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly address: SealedStream,
    id: string,
    private readonly maxBytes: number,
  ) {
    this.subject = pieceSubject(address, id);
  }

  /** See {@link RemoteServer}. */
  async send(piece: string, from: string, timeout: number, signal: AbortSignal): Promise<string | undefined> {
    const { connection, subject, inbox } = this;
    const ended = new Promise<string | undefined>((resolve, reject) => {
      this.end = resolve;
      this.reject = reject;
    });
    const onAbort = () => this.fail("the search was given up");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const subscription = listen(
      connection,
      inbox,
      (message) => this.receive(message),
      ({ message }) => this.fail(message),
    );
    this.awaitSign();
    const milliseconds = String(Math.ceil(timeout));
    const { seal } = this.address;
    const own = headers();
    own.set(TIMEOUT_HEADER, milliseconds);
    own.set(FROM_HEADER, from);
    seal.addTo(own, "piece", [subject, inbox, milliseconds, from], piece);
    connection.publish(subject, piece, { reply: inbox, headers: own });
    try {
      return await ended;
    } finally {
      clearTimeout(this.silence);
      signal.removeEventListener("abort", onAbort);
      subscription.unsubscribe();
      if (!this.isEnded && !connection.isClosed()) {
        connection.publish(cancelSubject(subject), inbox, { headers: seal.headers("piece-end", [subject], inbox) });
      }
    }
  }

  /** Waits for the next sign of life. */
  private awaitSign(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.fail(`no sign of life for ${MAX_SILENCE} ms`), MAX_SILENCE);
  }

  /** Ignores messages that are not sealed as the next one of this answer. */
  private receive(message: Msg): void {
    const { data } = message;
    const own = headersOf(() => message.headers);
    if (own?.code === NO_RESPONDERS) this.fail("it is not connected any more");
    const kind = own?.get(KIND_HEADER) as AnswerKind | undefined;
    if (!this.address.seal.isIn(own, "piece-answer", [this.inbox, this.count, kind ?? ""], data)) return;
    this.count++;
    this.awaitSign();
    this.isEnded = kind !== "working" && kind !== "part";
    this.bytes += data.length;
    if (kind === "failed") this.fail(message.string());
    // What is too long for the search as a whole exceeds its limit.
    else if (kind === "limit" || this.bytes > this.maxBytes) this.end(undefined);
    else if (kind === "part" || kind === "end") this.parts.push(data);
    if (kind === "end") this.end(Buffer.concat(this.parts).toString());
  }

  private fail(reason: string): void {
    this.reject(new ReplicationError({ code: "PIECE_FAILED", reason }));
  }
}
