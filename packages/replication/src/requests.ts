import type { Logger } from "@cambium/primitives";
import {
  type Msg,
  type NatsConnection,
  NoRespondersError,
  RequestError,
  type Subscription,
  TimeoutError,
} from "@nats-io/transport-node";
import { requestSubject, type StreamAddress } from "./connection.js";
import { ReplicationError } from "./errors.js";
import { FORWARDED } from "./measurements.js";

/** Requests of all replicas that a writer handles at a time, and those of one replica that wait for the writer. */
const MAX_SERVED = 1_024;
const MAX_WAITING = 256;

/** Answers the text of a JSON-RPC request; undefined if there is nothing to answer. Never rejects. */
export type TextHandler = (text: string) => Promise<string | undefined>;

/** Serves the requests that replicas forward, until the result is unsubscribed. Those beyond a bound get no answer. */
export function serveRequests(
  connection: NatsConnection,
  address: StreamAddress,
  handle: TextHandler,
  logger: Logger,
): Subscription {
  let underWay = 0;
  const answer = async (message: Msg): Promise<void> => {
    underWay++;
    const text = (await handle(message.string())) ?? "";
    underWay--;
    const maximum = connection.info?.max_payload ?? Number.MAX_SAFE_INTEGER;
    const bytes = Buffer.byteLength(text);
    if (bytes <= maximum) message.respond(text);
    else logger.warn({ bytes, maximum }, "The answer to a replica is longer than the NATS server accepts");
  };
  return connection.subscribe(requestSubject(address), {
    callback: (error, message) => {
      if (error === null && underWay < MAX_SERVED) void answer(message);
    },
  });
}

/** Forwards requests to the writer of a stream. */
export class WriterRequests {
  private waiting = 0;

  constructor(
    private readonly connection: () => NatsConnection | undefined,
    private readonly address: StreamAddress,
  ) {}

  /**
   * The writer's answer to the text of a JSON-RPC request; empty if there is none. Rejects with {@link ReplicationError} `WRITER_AWAY`,
   * `REQUEST_SIZE` or `REQUEST_LIMIT`.
   */
  async request(text: string, timeout: number): Promise<string> {
    const connection = this.connection();
    if (connection === undefined || connection.isClosed()) throw away("this replica is not connected to NATS");
    const maximum = connection.info?.max_payload ?? Number.MAX_SAFE_INTEGER;
    const bytes = Buffer.byteLength(text);
    if (bytes > maximum) throw new ReplicationError({ code: "REQUEST_SIZE", bytes, maximum });
    if (this.waiting >= MAX_WAITING) throw new ReplicationError({ code: "REQUEST_LIMIT", limit: MAX_WAITING });
    this.waiting++;
    FORWARDED.add();
    try {
      return (await connection.request(requestSubject(this.address), text, { timeout })).string();
    } catch (error) {
      throw away(reasonOf(error, timeout));
    } finally {
      this.waiting--;
    }
  }
}

function reasonOf(error: unknown, timeout: number): string {
  const isAway = error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
  if (isAway) return "no writer is connected to the same NATS servers";
  if (error instanceof TimeoutError) return `it did not answer within ${timeout} ms`;
  return (error as Error).message;
}

function away(reason: string): ReplicationError {
  return new ReplicationError({ code: "WRITER_AWAY", reason });
}

/** Why a request was not answered, for the client that sent it. */
export function requestFailure(error: unknown): string {
  if (!(error instanceof ReplicationError)) return (error as Error).message;
  const { details } = error;
  if (details.code === "WRITER_AWAY") return details.reason;
  if (details.code === "REQUEST_LIMIT") return `${details.limit} requests are waiting for it`;
  if (details.code === "REQUEST_SIZE")
    return `the request has ${details.bytes} bytes, its NATS server accepts ${details.maximum}`;
  return error.message;
}
