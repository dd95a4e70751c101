import { type BatchFollower, DatabaseError, type LinkedBatch } from "@cambium/database";
import { equalBytes, type Logger, pause, steadyTime } from "@cambium/primitives";
import {
  type ConsumerMessages,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
  type StreamState,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { BatchPieces, type CompleteBatch } from "./batch-pieces.js";
import { headersOf } from "./connection.js";
import { ReplicationError } from "./errors.js";
import { FailureLog } from "./failure-log.js";
import { ForeignMessages } from "./foreign-messages.js";
import { APPLIED_BATCHES, APPLIED_BYTES, APPLY_LAG, lagBlocks } from "./measurements.js";
import type { SealedStream } from "./seal.js";
import { type BatchPiece, beginsTerm, type Head, readPiece } from "./stream-message.js";
import { batchSearch, type StreamSearch } from "./stream-search.js";

export interface SubscriberOptions {
  address: SealedStream;
  connection: NatsConnection;
  follower: BatchFollower;
  /** Applies the next batch; `write` writes it to the database. */
  apply: (batch: LinkedBatch, write: () => Promise<void>) => Promise<void>;
  /** Returns the best block of this database. */
  best: () => Head;
  logger: Logger;
}

/** Distance of a replica from its writer, as far as the replica knows. */
export interface ReplicaLag {
  /** Height of the writer's best block, or that of this database if the stream has nothing newer. */
  target: number;
  /** Milliseconds since the stream last reported its end; undefined if it never answered. */
  silence: number | undefined;
  /** Whether the stream has messages, but none sealed with this node's key. */
  isForeign: boolean;
}

/** Milliseconds between requests for the end of the stream, and between attempts to read it. */
const WATCH_INTERVAL = 500;
const RETRY_WAIT = 500;
/** Milliseconds between signs of life of the server while there is nothing to read. */
const HEARTBEAT = 1_000;
/**
 * Milliseconds after which the stream is read again if it has more but sends nothing: the server of the reader may have
 * failed.
 */
const MAX_STALL = 3_000;
/** Number of bytes that are requested ahead of the applied batches. */
const BYTES_AHEAD = 16 * 1024 * 1024;

/**
 * Applies the batches of a stream to a copy of the writer's database. It starts after the latest batch in the database.
 * The next batch must continue that batch's link.
 */
export class Subscriber {
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;
  private readonly watching: Promise<void>;
  private readonly failures: FailureLog;
  private readonly foreign: ForeignMessages;
  /** Whether all messages are foreign; see {@link ReplicaLag}. */
  private isForeign = false;
  private messages: ConsumerMessages | undefined;
  /** Creation time of the stream that is read, and its last received message. */
  private created = "";
  private received = 0;
  /** The last applied message of the stream; undefined until it is read. */
  private applied: number | undefined;
  private receivedAt = 0;
  private target = 0;
  private answeredAt: number | undefined;

  /**
   * Starts immediately, and continues until it is closed. `failed` is notified of an error that ends it: this database
   * must then be replaced by a new copy.
   */
  constructor(
    private readonly options: SubscriberOptions,
    failed: (error: Error) => void,
  ) {
    this.failures = new FailureLog(options.logger, "read the writer's batches");
    this.foreign = ForeignMessages.unsealed(options.logger, "batch");
    this.running = this.run().catch(failed);
    this.watching = this.watch();
    void this.readAnewAfterReconnections();
  }

  lag(): ReplicaLag {
    const { number } = this.options.best();
    const silence = this.answeredAt === undefined ? undefined : steadyTime() - this.answeredAt;
    return { target: Math.max(this.target, number), silence, isForeign: this.isForeign };
  }

  /**
   * Whether all messages of a state of the stream are applied. False if all of them are foreign: the database may then
   * be outdated.
   */
  hasRead({ last_seq }: Pick<StreamState, "last_seq">): boolean {
    return !this.isForeign && this.applied !== undefined && this.applied >= last_seq;
  }

  /** Resolves when a batch that is being applied is written. */
  async close(): Promise<void> {
    this.stopped.abort();
    this.messages?.stop();
    await Promise.all([this.running, this.watching]);
  }

  private get isStopped(): boolean {
    return this.stopped.signal.aborted;
  }

  private async run(): Promise<void> {
    const { connection } = this.options;
    while (!this.isStopped && !connection.isClosed()) {
      try {
        await this.readStream(await jetstreamManager(connection));
      } catch (error) {
        if (error instanceof ReplicationError || error instanceof DatabaseError) throw error;
        this.failures.failed(this.explained(error as Error));
      }
      await pause(RETRY_WAIT, this.stopped.signal);
    }
  }

  private explained(error: Error): Error {
    if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) return error;
    const { stream } = this.options.address;
    return new Error(`there is no stream ${stream}: start the writer with --replicate, on the same NATS servers`);
  }

  /** Reads the stream until it ends: it is closed, was recreated, or cannot be read. */
  private async readStream(manager: JetStreamManager): Promise<void> {
    const { address, connection } = this.options;
    const { stream } = address;
    const { created, state } = await manager.streams.info(stream);
    const first = await this.firstMessage(manager, state);
    this.created = created;
    this.received = first - 1;
    this.applied = first - 1;
    this.receivedAt = steadyTime();
    const consumer = await jetstream(connection).consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: first,
    });
    this.messages = await consumer.consume({
      // The server does not send a message that exceeds the requested bytes.
      max_bytes: Math.max(BYTES_AHEAD, 2 * (connection.info?.max_payload ?? 0)),
      idle_heartbeat: HEARTBEAT,
      expires: 10 * HEARTBEAT,
    });
    this.failures.succeeded();
    if (this.isStopped) this.messages.stop();
    const pieces = new BatchPieces(stream);
    for await (const message of this.messages) {
      this.received = message.seq;
      const piece = this.ownPiece(message);
      if (piece !== undefined) await this.receive(piece, pieces, message);
      this.applied = message.seq;
      this.receivedAt = steadyTime();
      if (this.isStopped) return;
    }
  }

  /** Finds the message at which to start reading. */
  private async firstMessage(manager: JetStreamManager, state: StreamState): Promise<number> {
    const { follower } = this.options;
    if (state.messages === 0) {
      this.isForeign = false;
      return state.last_seq + 1;
    }
    const last = await this.search(manager).last(state);
    if (last === undefined && !this.isForeign) this.warnOfForeign(state);
    this.isForeign = last === undefined;
    if (last !== undefined) this.requireKnown(last.value, true);
    const isApplied = ({ batch }: BatchPiece) => batch.sequence <= follower.last.sequence;
    return this.search(manager).startOf(isApplied, state);
  }

  private warnOfForeign({ messages }: StreamState): void {
    const { address, logger } = this.options;
    logger.warn(
      { stream: address.stream, messages },
      "No message in the stream is sealed with this node's key: compare its key file with the writer's. After an upgrade " +
        "from a release without seals, start the writer; two writers need an empty stream",
    );
  }

  private search(manager: JetStreamManager): StreamSearch<BatchPiece> {
    return batchSearch(manager, this.options.address, this.foreign);
  }

  /** Decodes a message; returns undefined if its seal is invalid. */
  private ownPiece(message: JsMsg): BatchPiece | undefined {
    const { stream, seal } = this.options.address;
    const { seq, data } = message;
    const piece = readPiece({ seq, data, headers: headersOf(() => message.headers) }, seal);
    if (piece === undefined) this.foreign.skipped({ stream, message: seq });
    else this.isForeign = false;
    return piece;
  }

  /**
   * Throws {@link ReplicationError} `OTHER_DATABASE` if the batch belongs to another database. `isNewest`: it is the
   * last one of the stream, so this database must know its link unless it is further behind.
   */
  private requireKnown({ batch, base }: BatchPiece, isNewest: boolean): void {
    const { follower, address } = this.options;
    const { sequence } = batch;
    const isSameBase = base.sequence === follower.base.sequence && equalBytes(base.hash, follower.base.hash);
    const own = follower.linkOf(sequence);
    const isSame =
      own === undefined ? !isNewest || sequence > follower.last.sequence : equalBytes(own.hash, batch.hash);
    if (!isSameBase || !isSame)
      throw new ReplicationError({ code: "OTHER_DATABASE", stream: address.stream, sequence });
  }

  private async receive(piece: BatchPiece, pieces: BatchPieces, message: JsMsg): Promise<void> {
    const isApplied = piece.batch.sequence <= this.options.follower.last.sequence;
    if (!beginsTerm(piece)) this.requireKnown(piece, false);
    if (isApplied && !beginsTerm(piece)) return;
    const batch = pieces.add(piece, message.data);
    if (batch !== undefined) await this.apply(batch, message);
  }

  private async apply({ piece, batch }: CompleteBatch, message: JsMsg): Promise<void> {
    const { address, follower, apply, best } = this.options;
    const { stream } = address;
    const { sequence, packed } = batch;
    const next = follower.last.sequence + 1;
    if (sequence > next) throw new ReplicationError({ code: "BATCHES_MISSING", stream, next, first: sequence });
    if (!equalBytes(batch.previous, follower.last.hash))
      throw new ReplicationError({ code: "OTHER_DATABASE", stream, sequence });
    await apply(batch, () => follower.apply(batch)).catch((error: Error) => {
      const isContent = error instanceof DatabaseError && error.details.code === "BATCH_CONTENT";
      if (!isContent) throw error;
      throw new ReplicationError({ code: "BATCH_DAMAGED", stream, sequence, reason: "its hash is another one" });
    });
    APPLIED_BATCHES.add();
    APPLIED_BYTES.add(packed.length);
    APPLY_LAG.observe(Math.max(Date.now() - message.info.timestampNanos / 1e6, 0) / 1_000);
    this.target = Math.max(piece.head.number, best().number);
    lagBlocks.set(this.target - best().number);
  }

  /** Reads the stream again after a reconnection: the server may have lost the state of the reader. */
  private async readAnewAfterReconnections(): Promise<void> {
    for await (const { type } of this.options.connection.status()) {
      if (type === "reconnect") this.messages?.stop();
    }
  }

  /** Requests the end of the stream while it is read. Starts again if the stream is another one. */
  private async watch(): Promise<void> {
    const { connection, address } = this.options;
    while (!this.isStopped && !connection.isClosed()) {
      await this.ask(address.stream).catch(() => undefined);
      await pause(WATCH_INTERVAL, this.stopped.signal);
    }
  }

  private async ask(stream: string): Promise<void> {
    const { connection, best } = this.options;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    // Messages may arrive before the answer that do not count in it.
    const before = { created: this.created, received: this.received };
    const { created, state } = await manager.streams.info(stream);
    const isAnother = before.created !== "" && (created !== before.created || state.last_seq < before.received);
    if (isAnother) this.messages?.stop();
    const isBehind = state.last_seq > this.received && state.messages > 0;
    if (isBehind && steadyTime() - this.receivedAt > MAX_STALL) this.messages?.stop();
    const last = isBehind ? await this.search(manager).first(state.last_seq, state.last_seq + 1) : undefined;
    this.target = last?.value.head.number ?? best().number;
    lagBlocks.set(Math.max(this.target - best().number, 0));
    this.answeredAt = steadyTime();
  }
}
