import { counter, type Logger, pause } from "@cambium/primitives";
import { type JetStreamManager, jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos, nuid } from "@nats-io/transport-node";
import type { StreamAddress } from "../connection.js";
import { FailureLog } from "../failure-log.js";

/** Usage of one class of methods by an API key; see `UsageRow` of the package rpc. */
interface UsageRecord {
  key: string;
  class: string;
  requests: number;
  units: number;
  bytes: number;
  errors: number;
  refused: number;
}

/** A bounded table of usage. */
interface UsageSource {
  /** Number of requests that the table had no room for. */
  readonly lost: number;
  /** Returns the usage since the last call. */
  take(): UsageRecord[];
}

/** The content of a message, as JSON. */
export interface UsageMessage {
  /** Process that served the requests, as in the subject of the message. */
  node: string;
  /** Number of the message. Messages of a node are numbered from 1, without a gap. */
  number: number;
  /** Interval of the usage, in milliseconds since 1970. The next one of the node begins where it ends. */
  from: number;
  to: number;
  records: UsageRecord[];
}

/** The last message on the node's subject: its sequence number, 0 if there is none, and its content. */
interface LastMessage {
  sequence: number;
  text: string | undefined;
}

export interface UsagePublisherOptions {
  address: StreamAddress;
  /** Returns the connection; undefined until it is open. */
  connection: () => NatsConnection | undefined;
  source: UsageSource;
  /** Milliseconds that one record covers. */
  interval: number;
  logger: Logger;
}

const MAX_RECORDS = 500;
/**
 * Milliseconds until an acknowledgement fails, until a failed attempt is repeated, and until a stopping node discards
 * the rest.
 */
const ACK_TIMEOUT = 2_000;
const RETRY_WAIT = 500;
const CLOSE_TIMEOUT = 3_000;
/**
 * Maximum age of messages in a new stream, and the server's time for recognising a repeated message; both in
 * milliseconds.
 */
const MAX_AGE = 90 * 86_400_000;
const DUPLICATE_WINDOW = 120_000;

const PUBLISHED = counter("cambium_rpc_usage_published_records_total", "Records of usage that the stream has");
const LOST = counter("cambium_rpc_usage_lost_requests_total", "Requests whose usage is in no record of the stream");

/**
 * Publishes the usage of API keys to a JetStream stream, each record exactly once. A message is accepted only as the
 * successor of the node's last one, which is read from the stream after every failure. While the stream is unavailable,
 * usage adds up in its bounded table, and the next records cover a longer interval.
 */
export class UsagePublisher {
  private readonly node = nuid.next();
  private readonly subject: string;
  private readonly stopped = new AbortController();
  private readonly closing = new AbortController();
  private readonly running: Promise<void>;
  private readonly failures: FailureLog;
  private pending: UsageMessage[] = [];
  private number = 0;
  private from = Date.now();
  /** The last message; undefined until it is read from the stream. */
  private last: LastMessage | undefined;
  private knownLost = 0;

  /** Starts immediately. */
  constructor(private readonly options: UsagePublisherOptions) {
    this.subject = `${options.address.stream}.${this.node}`;
    this.failures = new FailureLog(options.logger, "publish the usage of API keys");
    this.running = this.run();
  }

  /** Publishes the rest, if the stream answers soon. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.closing.abort(), CLOSE_TIMEOUT);
    this.stopped.abort();
    await this.running;
    await this.publishAll();
    if (this.pending.length === 0) this.cut();
    await this.publishAll();
    clearTimeout(timer);
    const lost = this.pending.flatMap(({ records }) => records).reduce((sum, { requests }) => sum + requests, 0);
    LOST.add(lost);
    if (lost > 0) this.options.logger.error({ requests: lost }, "Usage of API keys is lost, the stream did not answer");
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      await pause(this.options.interval, signal);
      if (this.pending.length === 0) this.cut();
      await this.publishAll(signal);
    }
  }

  /** Turns the usage since the last call into the next messages. */
  private cut(): void {
    const { source } = this.options;
    const records = source.take();
    LOST.add(source.lost - this.knownLost);
    this.knownLost = source.lost;
    const to = Date.now();
    for (let start = 0; start < records.length; start += MAX_RECORDS) {
      const part = records.slice(start, start + MAX_RECORDS);
      this.pending.push({ node: this.node, number: ++this.number, from: this.from, to, records: part });
    }
    this.from = to;
  }

  /** Publishes the pending messages, until a signal aborts. */
  private async publishAll(signal = this.closing.signal): Promise<void> {
    while (!signal.aborted) {
      const [message] = this.pending;
      if (message === undefined) return;
      try {
        await this.publish(message);
        PUBLISHED.add(message.records.length);
        this.pending.shift();
        this.failures.succeeded();
      } catch (error) {
        this.last = undefined;
        this.failures.failed(error as Error);
        await pause(RETRY_WAIT, signal);
      }
    }
  }

  /** Resolves when the stream has the message. */
  private async publish(message: UsageMessage): Promise<void> {
    const connection = this.options.connection();
    if (connection === undefined || connection.isClosed()) throw new Error("there is no connection to NATS");
    const text = JSON.stringify(message);
    this.last ??= await this.lastMessage(await jetstreamManager(connection, { timeout: ACK_TIMEOUT }));
    // An attempt whose acknowledgement was lost has stored the message.
    if (this.last.text === text) return;
    const { seq: sequence } = await jetstream(connection).publish(this.subject, text, {
      msgID: `${this.node}-${message.number}`,
      expect: { lastSubjectSequence: this.last.sequence },
      timeout: ACK_TIMEOUT,
    });
    this.last = { sequence, text };
  }

  /** Reads the last message on the node's subject. Creates the stream if it does not exist. */
  private async lastMessage(manager: JetStreamManager): Promise<LastMessage> {
    const { stream } = this.options.address;
    const names = await manager.streams.names(`${stream}.>`).next();
    if (!names.includes(stream)) {
      await manager.streams.add({
        name: stream,
        subjects: [`${stream}.>`],
        storage: StorageType.File,
        max_age: nanos(MAX_AGE),
        duplicate_window: nanos(DUPLICATE_WINDOW),
      });
    }
    const found = await manager.streams.getMessage(stream, { last_by_subj: this.subject });
    return { sequence: found?.seq ?? 0, text: found?.string() };
  }
}
