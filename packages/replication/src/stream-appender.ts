import { JetStreamApiCodes } from "@nats-io/jetstream";
import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { listen } from "./connection.js";

/** Milliseconds until an acknowledgement is given up. */
const TIMEOUT = 5_000;

/** The last message of the stream is not the expected one: others have published, or its end was not known. */
export class StreamMoved extends Error {}

/** A message whose acknowledgement is awaited. */
interface Sent {
  /** Its number in the stream. */
  seq: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Appends messages to a stream, each when the one before is stored. Of two that are sent together, the first may be refused because another program
 * has published, and the second accepted, whose expected number that program's message has got: the stream would then lack the first.
 *
 * All acknowledgements arrive at one subscription: the client's own `publish` creates an error and a timer for each.
 */
export class StreamAppender {
  private readonly inbox = createInbox();
  private sent: Sent | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly subscription;

  constructor(private readonly connection: NatsConnection) {
    const late = new Error(`the stream did not acknowledge a message within ${TIMEOUT} ms`);
    this.timer = setTimeout(() => this.fail(late), TIMEOUT);
    this.subscription = listen(
      connection,
      this.inbox,
      (message) => this.receive(message),
      (error) => this.fail(error),
    );
  }

  /**
   * Resolves when the message is stored as the successor of the one with the number `last`. Rejects with {@link StreamMoved} if that is not
   * the last one, and with other errors if it is not known whether the message was stored. Not to be called again before it settles.
   */
  append(subject: string, data: Uint8Array | string, headers: MsgHdrs, last: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.sent = { seq: last + 1, resolve, reject };
      this.timer.refresh();
      headers.set("Nats-Expected-Last-Sequence", String(last));
      this.connection.publish(subject, data, { headers, reply: this.inbox });
    });
  }

  /** Gives up the message whose acknowledgement has not arrived. */
  fail(error: Error): void {
    const { sent } = this;
    this.sent = undefined;
    sent?.reject(error);
  }

  close(): void {
    clearTimeout(this.timer);
    this.subscription.unsubscribe();
  }

  private receive(message: Msg): void {
    const { sent } = this;
    if (sent === undefined) return;
    requireStored(message, sent.seq);
    this.sent = undefined;
    sent.resolve();
  }
}

/** Throws an error, such as {@link StreamMoved}, unless a message was stored under a number. */
function requireStored(answer: Msg, number: number): void {
  if (answer.data.length === 0) throw new Error("no stream answers");
  const { error, seq } = answer.json<{ error?: { err_code?: number; description?: string }; seq?: number }>();
  if (error?.err_code === JetStreamApiCodes.StreamWrongLastSequence) throw new StreamMoved(error.description);
  if (error) throw new Error(error.description ?? "the stream refused a message");
  if (seq !== number) throw new Error(`message ${number} of the stream was acknowledged as ${seq}`);
}
