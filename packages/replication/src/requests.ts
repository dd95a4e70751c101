import type { Logger } from "@cambium/primitives";
import { createInbox, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node";
import { headersOf, listen, requestSubject } from "./connection.js";
import { ReplicationError } from "./errors.js";
import { ForeignMessages } from "./foreign-messages.js";
import { FORWARDED } from "./measurements.js";
import type { SealedStream } from "./seal.js";

/**
 * Maximum number of replicas' requests that a writer handles at a time, and of one replica's requests that wait for the
 * writer.
 */
const MAX_SERVED = 1_024;
const MAX_WAITING = 256;
/** Maximum size of the headers of a request or an answer, in bytes. */
const HEADER_BYTES = 256;
/** Status with which the server answers a message that has no receiver. */
const NO_RESPONDERS = 503;

/** Answers the text of a JSON-RPC request; undefined if it needs no answer. Never rejects. */
export type TextHandler = (text: string) => Promise<string | undefined>;

/**
 * Serves the requests that replicas forward, until the result is unsubscribed. Requests beyond a limit get no answer.
 */
export function serveRequests(
  connection: NatsConnection,
  address: SealedStream,
  handle: TextHandler,
  logger: Logger,
): Subscription {
  const { seal } = address;
  const foreign = ForeignMessages.unsealed(logger, "request");
  let inProgress = 0;
  const answer = async (message: Msg, reply: string): Promise<void> => {
    inProgress++;
    const text = (await handle(message.string())) ?? "";
    inProgress--;
    const maximum = contentBytes(connection);
    const bytes = Buffer.byteLength(text);
    if (bytes > maximum) {
      logger.warn({ bytes, maximum }, "The answer to a replica is longer than the NATS server accepts");
    } else if (!connection.isClosed()) {
      connection.publish(reply, text, { headers: seal.headers("answer", [reply], text) });
    }
  };
  return listen(connection, requestSubject(address), (message) => {
    const { reply = "", data } = message;
    const isSealed = seal.isIn(
      headersOf(() => message.headers),
      "request",
      [reply],
      data,
    );
    if (!isSealed) foreign.skipped({ subject: message.subject });
    else if (inProgress < MAX_SERVED) void answer(message, reply);
  });
}

/** Forwards requests to the writer of a stream. */
export class WriterRequests {
  private waiting = 0;

  constructor(
    private readonly connection: () => NatsConnection | undefined,
    private readonly address: SealedStream,
  ) {}

  /**
   * Returns the writer's answer to the text of a JSON-RPC request; empty if there is none. Rejects with
   * {@link ReplicationError} `WRITER_AWAY`, `REQUEST_SIZE` or `REQUEST_LIMIT`.
   */
  async request(text: string, timeout: number): Promise<string> {
    const connection = this.connection();
    if (connection === undefined || connection.isClosed()) throw away("this replica is not connected to NATS");
    const maximum = contentBytes(connection);
    const bytes = Buffer.byteLength(text);
    if (bytes > maximum) throw new ReplicationError({ code: "REQUEST_SIZE", bytes, maximum });
    if (this.waiting >= MAX_WAITING) throw new ReplicationError({ code: "REQUEST_LIMIT", limit: MAX_WAITING });
    this.waiting++;
    FORWARDED.add();
    try {
      return await this.send(connection, text, timeout);
    } finally {
      this.waiting--;
    }
  }

  /** Sends a request and waits for an answer with a valid seal; ignores others. */
  private send(connection: NatsConnection, text: string, timeout: number): Promise<string> {
    const { address } = this;
    const { seal } = address;
    const reply = createInbox();
    return new Promise<string>((resolve, reject) => {
      const receive = (message: Msg) => {
        const headers = headersOf(() => message.headers);
        const isAnswer = seal.isIn(headers, "answer", [reply], message.data);
        if (!isAnswer && headers?.code !== NO_RESPONDERS) return;
        end();
        if (isAnswer) resolve(message.string());
        else reject(away("no writer is connected to the same NATS servers"));
      };
      const fail = (reason: string) => {
        end();
        reject(away(reason));
      };
      const timer = setTimeout(() => fail(`it did not answer within ${timeout} ms`), timeout);
      const subscription = listen(connection, reply, receive, ({ message }) => fail(message));
      const end = () => {
        clearTimeout(timer);
        subscription.unsubscribe();
      };
      void subscription.closed.then(() => fail("the connection to NATS was closed"));
      connection.publish(requestSubject(address), text, { reply, headers: seal.headers("request", [reply], text) });
    });
  }
}

function contentBytes({ info }: NatsConnection): number {
  return (info?.max_payload ?? Number.MAX_SAFE_INTEGER) - HEADER_BYTES;
}

function away(reason: string): ReplicationError {
  return new ReplicationError({ code: "WRITER_AWAY", reason });
}

/** Describes why a request was not answered, for the client that sent it. */
export function requestFailure(error: unknown): string {
  if (!(error instanceof ReplicationError)) return (error as Error).message;
  const { details } = error;
  if (details.code === "WRITER_AWAY") return details.reason;
  if (details.code === "REQUEST_LIMIT") return `${details.limit} requests are waiting for it`;
  if (details.code === "REQUEST_SIZE")
    return `the request has ${details.bytes} bytes, its NATS server accepts ${details.maximum}`;
  return error.message;
}
