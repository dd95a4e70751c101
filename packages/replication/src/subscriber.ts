import { type BatchFollower, DatabaseError, type LinkedBatch } from "@cambium/database";
import { equalBytes, type Logger, steadyTime } from "@cambium/primitives";
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
import { pause, type StreamAddress } from "./connection.js";
import { ReplicationError } from "./errors.js";
import { FailureLog } from "./failure-log.js";
import { APPLIED_BATCHES, APPLIED_BYTES, APPLY_LAG, lagBlocks } from "./measurements.js";
import { type BatchPiece, beginsTerm, type Head, readPiece } from "./stream-message.js";
import { firstMessageOf, pieceAt, requiredPiece } from "./stream-position.js";

export interface SubscriberOptions {
  address: StreamAddress;
  connection: NatsConnection;
  follower: BatchFollower;
  /** Applies the next batch; `write` writes it to the database. */
  apply: (batch: LinkedBatch, write: () => Promise<void>) => Promise<void>;
  /** The best block of this database. */
  best: () => Head;
  logger: Logger;
}

/** How far a replica is behind its writer, as far as it knows. */
export interface ReplicaLag {
  /** Height of the writer's best block, or that of this database if the stream has nothing newer. */
  target: number;
  /** Milliseconds since the stream was last asked how far it is; undefined if it never answered. */
  silence: number | undefined;
}

/** Milliseconds between questions to the stream how far it is, and between attempts to read it. */
const WATCH_INTERVAL = 500;
const RETRY_WAIT = 500;
/** Milliseconds between signs of life of the server while there is nothing to read. */
const HEARTBEAT = 1_000;
/** Milliseconds after which the stream is read anew if it has more but sends nothing: the server of the reader may have failed. */
const MAX_STALL = 3_000;
/** Bytes that are requested ahead of what is applied. */
const BYTES_AHEAD = 16 * 1024 * 1024;

/**
 * Applies the batches of a stream to a copy of the writer's database: it starts after the latest one that the database has, whose link
 * the next batch must continue.
 */
export class Subscriber {
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;
  private readonly watching: Promise<void>;
  private readonly failures: FailureLog;
  private messages: ConsumerMessages | undefined;
  /** Of the stream that is read: when it was created, and its last message that was received. */
  private created = "";
  private received = 0;
  /** Its last message that was applied; undefined until it is read. */
  private applied: number | undefined;
  private receivedAt = 0;
  private target = 0;
  private answeredAt: number | undefined;

  /** Starts at once, and goes on until it is closed; `failed` is notified if it cannot: this database must then be replaced by a new copy. */
  constructor(
    private readonly options: SubscriberOptions,
    failed: (error: Error) => void,
  ) {
    this.failures = new FailureLog(options.logger, "read the writer's batches");
    this.running = this.run().catch(failed);
    this.watching = this.watch();
    void this.readAnewAfterReconnections();
  }

  lag(): ReplicaLag {
    const { number } = this.options.best();
    const silence = this.answeredAt === undefined ? undefined : steadyTime() - this.answeredAt;
    return { target: Math.max(this.target, number), silence };
  }

  /** Whether all messages are applied that the stream has in a state. */
  hasRead({ last_seq }: Pick<StreamState, "last_seq">): boolean {
    return this.applied !== undefined && this.applied >= last_seq;
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

  /** Reads the stream until it ends: because it is closed, was created anew, or cannot be read. */
  private async readStream(manager: JetStreamManager): Promise<void> {
    const { address, connection } = this.options;
    const { stream } = address;
    const { created, state } = await manager.streams.info(stream);
    const first = state.messages === 0 ? state.last_seq + 1 : await this.firstMessage(manager, state);
    this.created = created;
    this.received = first - 1;
    this.applied = first - 1;
    this.receivedAt = steadyTime();
    const consumer = await jetstream(connection).consumers.get(stream, {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: first,
    });
    this.messages = await consumer.consume({
      max_bytes: BYTES_AHEAD,
      idle_heartbeat: HEARTBEAT,
      expires: 10 * HEARTBEAT,
    });
    this.failures.succeeded();
    if (this.isStopped) this.messages.stop();
    const pieces = new Pieces(stream);
    for await (const message of this.messages) {
      this.received = message.seq;
      const batch = pieces.add(message);
      if (batch !== undefined) await this.apply(batch, message);
      this.applied = message.seq;
      this.receivedAt = steadyTime();
      if (this.isStopped) return;
    }
  }

  /** Sequence number of the first message of the batch after this database's latest one. */
  private async firstMessage(manager: JetStreamManager, state: StreamState): Promise<number> {
    const { stream } = this.options.address;
    const last = await pieceAt(manager, stream, state.last_seq);
    if (last !== undefined) this.requireKnown(last);
    return firstMessageOf(manager, stream, state, this.options.follower.last.sequence + 1);
  }

  /** Throws {@link ReplicationError} `OTHER_DATABASE` if the batch is not one that this database has, if it should have it. */
  private requireKnown({ batch, base }: Pick<BatchPiece, "batch" | "base">): void {
    const { follower, address } = this.options;
    const { sequence } = batch;
    const isSameBase = base.sequence === follower.base.sequence && equalBytes(base.hash, follower.base.hash);
    const own = follower.linkOf(sequence);
    const isKnown = sequence > follower.last.sequence || (own !== undefined && equalBytes(own.hash, batch.hash));
    if (!isSameBase || !isKnown)
      throw new ReplicationError({ code: "OTHER_DATABASE", stream: address.stream, sequence });
  }

  private async apply({ piece, batch }: CompleteBatch, message: JsMsg): Promise<void> {
    const { address, follower, apply, best } = this.options;
    const { stream } = address;
    const { sequence, packed } = batch;
    this.requireKnown(piece);
    const next = follower.last.sequence + 1;
    if (sequence < next) return;
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

  /** What the server knew of the reader may be lost with the connection. */
  private async readAnewAfterReconnections(): Promise<void> {
    for await (const { type } of this.options.connection.status()) {
      if (type === "reconnect") this.messages?.stop();
    }
  }

  /** Asks the stream how far it is, while it is read, and has it read again if it is not the same one any more. */
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
    const { created, state } = await manager.streams.info(stream);
    const isAnother = this.created !== "" && (created !== this.created || state.last_seq < this.received);
    if (isAnother) this.messages?.stop();
    const isBehind = state.last_seq > this.received && state.messages > 0;
    if (isBehind && steadyTime() - this.receivedAt > MAX_STALL) this.messages?.stop();
    const last = isBehind ? await manager.streams.getMessage(stream, { seq: state.last_seq }) : undefined;
    this.target = readPiece(last?.header)?.head.number ?? best().number;
    lagBlocks.set(Math.max(this.target - best().number, 0));
    this.answeredAt = steadyTime();
  }
}

interface CompleteBatch {
  /** The last of its pieces. */
  piece: BatchPiece;
  batch: LinkedBatch;
}

/** Puts the pieces of batches together. */
class Pieces {
  private parts: Uint8Array[] = [];
  private of: BatchPiece | undefined;

  constructor(private readonly stream: string) {}

  /** The batch that the message completes. Throws {@link ReplicationError} `BATCH_DAMAGED` or `BATCHES_MISSING`. */
  add(message: JsMsg): CompleteBatch | undefined {
    const piece = requiredPiece(this.stream, message.headers);
    const { sequence } = piece.batch;
    if (beginsTerm(piece)) {
      // The next writer publishes a batch anew of which the one before has published a part.
      this.parts = [];
      return undefined;
    }
    // The stream has dropped its beginning.
    if (this.parts.length === 0 && piece.index > 0) {
      throw new ReplicationError({ code: "BATCHES_MISSING", stream: this.stream, next: sequence, first: sequence + 1 });
    }
    const isNext =
      piece.index === this.parts.length && (piece.index === 0 || equalBytes(piece.batch.hash, this.of!.batch.hash));
    if (!isNext) {
      const reason = `piece ${piece.index} of ${piece.count} follows piece ${this.parts.length - 1}`;
      throw new ReplicationError({ code: "BATCH_DAMAGED", stream: this.stream, sequence, reason });
    }
    this.parts.push(message.data);
    this.of = piece;
    if (this.parts.length < piece.count) return undefined;
    const [only] = this.parts;
    const packed = this.parts.length === 1 ? only! : Buffer.concat(this.parts);
    this.parts = [];
    return { piece, batch: { ...piece.batch, packed } };
  }
}
