import { JetStreamApiCodes } from "@nats-io/jetstream";
import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { listen } from "./connection.js";

/** Time limit for an acknowledgement, in milliseconds. */
const TIMEOUT = 5_000;

/** The stream does not end with the expected message: another program or node has published. */
export class StreamMoved extends Error {}

/** A message whose acknowledgement is awaited. */
interface Sent {
  /** Its expected sequence number in the stream. */
  seq: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Appends messages to a stream one at a time. With two in flight, the first could be refused because another program
 * has published. The second could then be accepted, because the number that it expects now belongs to that program's
 * message. The stream would lack the first message.
 *
 * Acknowledgements share a subscription and a timer: the client's own `publish` creates an error and a timer for each.
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
   * Appends a message. Resolves when it is stored as the successor of message `last`. Rejects with {@link StreamMoved}
   * if another message was the last one, and with other errors if it is unknown whether the message was stored. Must
   * settle before the next call.
   */
  append(subject: string, data: Uint8Array | string, headers: MsgHdrs, last: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.sent = { seq: last + 1, resolve, reject };
      this.timer.refresh();
      headers.set("Nats-Expected-Last-Sequence", String(last));
      this.connection.publish(subject, data, { headers, reply: this.inbox });
    });
  }

  /** Rejects the message whose acknowledgement has not arrived. */
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

/** Throws unless the answer acknowledges the message with this sequence number. */
function requireStored(answer: Msg, number: number): void {
  if (answer.data.length === 0) throw new Error("no stream answers");
  const { error, seq } = answer.json<{ error?: { err_code?: number; description?: string }; seq?: number }>();
  if (error?.err_code === JetStreamApiCodes.StreamWrongLastSequence) throw new StreamMoved(error.description);
  if (error) throw new Error(error.description ?? "the stream refused a message");
  if (seq !== number) throw new Error(`message ${number} of the stream was acknowledged as ${seq}`);
}
