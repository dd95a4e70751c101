import { counter, type Logger, pause } from "@cambium/primitives";
import { type JetStreamManager, jetstream, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { type NatsConnection, nanos, nuid } from "@nats-io/transport-node";
import type { StreamAddress } from "../connection.js";
import { FailureLog } from "../failure-log.js";

/** What an API key has used of one class of methods; see `UsageRow` of the package rpc. */
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
  /** Requests that the table had no room for. */
  readonly lost: number;
  /** What was used since. */
  take(): UsageRecord[];
}

/** The content of a message, as JSON. */
export interface UsageMessage {
  /** Process that served the requests, as in the subject of the message. */
  node: string;
  /** Messages of a node are numbered from 1, without a gap. */
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
  /** Undefined until it is open. */
  connection: () => NatsConnection | undefined;
  source: UsageSource;
  /** Milliseconds. */
  interval: number;
  logger: Logger;
}

const MAX_RECORDS = 500;
/**
 * Milliseconds until an acknowledgement is given up, a failed attempt is repeated, and the rest is lost when the node
 * stops.
 */
const ACK_TIMEOUT = 2_000;
const RETRY_WAIT = 500;
const CLOSE_TIMEOUT = 3_000;
/**
 * What a stream that did not exist keeps, in milliseconds; and how long the server itself recognises a repeated
 * message.
 */
const MAX_AGE = 90 * 86_400_000;
const DUPLICATE_WINDOW = 120_000;

const PUBLISHED = counter("cambium_rpc_usage_published_records_total", "Records of usage that the stream has");
const LOST = counter("cambium_rpc_usage_lost_requests_total", "Requests whose usage is in no record of the stream");

/**
 * Publishes what API keys use to a JetStream stream, each record exactly once: a message is accepted only as the
 * successor of the node's last one, and after every failure the stream is asked which that is. While the stream is
 * away, usage adds up in its bounded table, and the next records are of a longer interval.
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
  /** Undefined until it is read from the stream. */
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

  /** Takes what was used since, as the next messages. */
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
    // It was stored by an attempt whose acknowledgement was lost.
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
