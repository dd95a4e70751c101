import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";

/** Bytes of messages that are sent before the first of them is acknowledged. */
const WINDOW_BYTES = 8 * 1024 * 1024;
/** Milliseconds until an acknowledgement is given up. */
const TIMEOUT = 5_000;

interface Sent {
  bytes: number;
  at: number;
  acknowledged: () => void;
}

/**
 * Messages to a stream whose acknowledgement is awaited. They have one subscription and one timer together: the client's own `publish` creates errors and timers for each.
 */
export class Acknowledgements {
  /** Why the first of them failed; all after it fail too. */
  failure: Error | undefined;
  private readonly inbox = createInbox();
  /** In the order in which they were sent, which is that of the stream and of its answers. */
  private readonly waiting: Sent[] = [];
  private bytes = 0;
  private changed: () => void = () => undefined;
  private readonly subscription;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly connection: NatsConnection,
    /** Number of messages that are sent before the first of them is acknowledged. */
    private readonly maxMessages: number,
  ) {
    this.subscription = connection.subscribe(this.inbox, {
      callback: (error, message) => this.receive(error, message),
    });
    this.timer = setInterval(() => this.giveUp(), TIMEOUT / 10);
  }

  /** Gives up all messages whose acknowledgement has not arrived. */
  fail(error: Error): void {
    this.failure ??= error;
    this.changed();
  }

  /** Resolves when another message may be sent. Rejects if one has failed. */
  async room(bytes: number): Promise<void> {
    const isFull = () =>
      this.waiting.length >= this.maxMessages || (this.bytes > 0 && this.bytes + bytes > WINDOW_BYTES);
    while (this.failure === undefined && isFull()) await this.change();
    if (this.failure !== undefined) throw this.failure;
  }

  /** Sends a message if the stream's last one has the sequence number `last`. */
  publish(subject: string, data: Uint8Array, headers: MsgHdrs, last: number, acknowledged: () => void): void {
    headers.set("Nats-Expected-Last-Sequence", String(last));
    this.connection.publish(subject, data, { headers, reply: this.inbox });
    this.waiting.push({ bytes: data.length, at: performance.now(), acknowledged });
    this.bytes += data.length;
  }

  /** Resolves when nothing is awaited any more, or all is given up. */
  async close(): Promise<void> {
    while (this.failure === undefined && this.waiting.length > 0) await this.change();
    clearInterval(this.timer);
    this.subscription.unsubscribe();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.changed = resolve;
    });
  }

  private receive(error: Error | null, message: Msg): void {
    if (this.failure !== undefined) return;
    const reason = error?.message ?? refusal(message);
    if (reason !== undefined) {
      this.fail(new Error(reason));
      return;
    }
    const sent = this.waiting.shift();
    this.bytes -= sent?.bytes ?? 0;
    sent?.acknowledged();
    this.changed();
  }

  private giveUp(): void {
    const [first] = this.waiting;
    if (first === undefined || performance.now() - first.at < TIMEOUT) return;
    this.fail(new Error(`the stream did not acknowledge a batch within ${TIMEOUT} ms`));
  }
}

/** Why a message was not stored; undefined if it was. */
function refusal(message: Msg): string | undefined {
  if (message.data.length === 0) return "no stream answers";
  const { error } = message.json<{ error?: { description?: string } }>();
  return error && (error.description ?? "the stream refused a batch");
}
