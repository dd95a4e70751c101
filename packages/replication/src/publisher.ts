import type { BatchLogReader, LinkedBatch } from "@cambium/database";
import { equalBytes, type Logger, pause } from "@cambium/primitives";
import { type JetStreamManager, jetstreamManager, type StreamState } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BatchStreamOptions, openBatchStream } from "./batch-stream.js";
import { batchSubject } from "./connection.js";
import { ReplicationError } from "./errors.js";
import { FailureLog } from "./failure-log.js";
import { ForeignMessages } from "./foreign-messages.js";
import { backlog, PUBLISHED_BATCHES, PUBLISHED_BYTES } from "./measurements.js";
import { StreamAppender, StreamMoved } from "./stream-appender.js";
import { type BatchPiece, type Head, pieceCount, pieceHeaders } from "./stream-message.js";
import { batchSearch, type Found } from "./stream-search.js";

export interface PublisherOptions extends BatchStreamOptions {
  connection: NatsConnection;
  log: BatchLogReader;
  /** The term that this node has begun with the lease of the stream; 0 for a node that does not share its stream. */
  term?: number;
  /** Returns the best block after a batch, as far as known when the batch is published. */
  head: () => Head;
  logger: Logger;
}

/** Maximum size of a message besides the content, in bytes. */
const HEADER_BYTES = 1_024;
/** Maximum size of a piece in bytes. Larger ones gain nothing, and delay other messages on the connection. */
const MAX_PIECE = 512 * 1024;
/** Milliseconds until a failed attempt is repeated. */
const RETRY_WAIT = 500;
/** Milliseconds until an attempt is repeated that failed because another program has published. */
const MOVED_WAIT = 20;
/** Milliseconds between checks for batches without a notice. */
const IDLE_WAIT = 1_000;
const FINISH_WAIT = 10;

/** The end of the stream. */
interface Position {
  /** Sequence number of the stream's last message. */
  message: number;
  /** The next batch to publish, and its next piece. */
  batch: number;
  piece: number;
}

/**
 * Publishes the batches of a log to a JetStream stream, in order and each once. The server accepts a message only as
 * the successor of the last one. The position is read from the stream after every failure.
 */
export class Publisher {
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;
  private readonly foreign: ForeignMessages;
  private isResumed = false;
  /** The last sealed message among the first `upTo` messages of the stream. */
  private known: { upTo: number; last: Found<BatchPiece> } | undefined;
  private isConnected = true;
  private appender: StreamAppender | undefined;

  /** Starts immediately, and continues until it is closed. `failed` is notified of an error that ends it. */
  constructor(
    private readonly options: PublisherOptions,
    failed: (error: Error) => void,
  ) {
    this.foreign = ForeignMessages.unsealed(options.logger, "batch");
    this.running = this.run().catch((error: Error) => {
      this.stopped.abort();
      failed(error);
    });
    void this.noticeDisconnections();
  }

  /** Resolves when messages in flight are acknowledged or abandoned. */
  async close(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  /**
   * Resolves when all batches on disk are acknowledged, if the connection is not interrupted, or after `milliseconds`.
   */
  async finish(milliseconds: number): Promise<void> {
    const { log, connection } = this.options;
    const end = performance.now() + milliseconds;
    const isGoingOn = () => this.isConnected && !this.isStopped && !connection.isClosed() && performance.now() < end;
    while (log.acknowledged < log.latest && isGoingOn()) await pause(FINISH_WAIT, this.stopped.signal);
  }

  private get term(): number {
    return this.options.term ?? 0;
  }

  private get isStopped(): boolean {
    return this.stopped.signal.aborted;
  }

  private async run(): Promise<void> {
    const { connection, logger } = this.options;
    const failures = new FailureLog(logger, "publish batches for replicas");
    for (let isMoved = false; !this.isStopped; ) {
      try {
        const maxPiece = pieceBytes(connection);
        const manager = await jetstreamManager(connection, { checkAPI: !isMoved });
        const state = isMoved ? await this.state(manager) : await openBatchStream(manager, this.options);
        const position = await this.position(manager, state, maxPiece);
        failures.succeeded();
        await this.publishFrom(position, maxPiece);
      } catch (error) {
        if (error instanceof ReplicationError) throw error;
        if (connection.isClosed()) return;
        // Foreign messages are logged when they are found. More of them may follow soon.
        isMoved = error instanceof StreamMoved;
        if (!isMoved) failures.failed(error as Error);
        await pause(isMoved ? MOVED_WAIT : RETRY_WAIT, this.stopped.signal);
      }
    }
  }

  /** Fails messages in flight on a disconnection: their acknowledgement is lost, whether or not they arrived. */
  private async noticeDisconnections(): Promise<void> {
    for await (const { type } of this.options.connection.status()) {
      if (type === "disconnect") this.appender?.fail(new Error("the connection to NATS was interrupted"));
      if (type === "disconnect" || type === "reconnect") this.isConnected = type === "reconnect";
    }
  }

  private async state(manager: JetStreamManager): Promise<StreamState> {
    return (await manager.streams.info(this.options.address.stream)).state;
  }

  /** Finds the end of the stream. Empties the stream if the log does not continue it. */
  private async position(manager: JetStreamManager, state: StreamState, maxPiece: number): Promise<Position> {
    const { address, log, logger } = this.options;
    const { stream } = address;
    const last = await this.lastPiece(manager, state);
    if (last !== undefined && this.term > 0 && last.term > this.term) {
      throw new ReplicationError({ code: "TERM_ENDED", stream });
    }
    const isFirst = !this.isResumed;
    this.isResumed = true;
    if (last === undefined) return { message: state.last_seq, batch: this.firstLogged(), piece: 0 };
    const isPart = last.index + 1 < last.count;
    const next = isPart ? last.batch.sequence : last.batch.sequence + 1;
    if (this.leadsOn(last, maxPiece)) {
      log.acknowledge(next - 1);
      return { message: state.last_seq, batch: next, piece: isPart ? last.index + 1 : 0 };
    }
    if (!isFirst && !this.hasOverflown(next)) throw new ReplicationError({ code: "OTHER_WRITER", stream });
    await manager.streams.purge(stream, { seq: state.last_seq + 1 });
    const batch = this.firstLogged();
    const found = { stream, batch, last: last.batch.sequence };
    logger.warn(
      found,
      "The stream does not lead to this database and was emptied: replicas must start from a new copy",
    );
    return { message: state.last_seq, batch, piece: 0 };
  }

  /** Finds the last sealed message. */
  private async lastPiece(manager: JetStreamManager, state: StreamState): Promise<BatchPiece | undefined> {
    if (state.messages === 0) return undefined;
    const { address, logger } = this.options;
    const { first_seq, last_seq } = state;
    const { known } = this;
    // Foreign messages are not read twice, as there may be a flood of them.
    const isKnown = known !== undefined && known.last.seq >= first_seq && known.upTo <= last_seq;
    const unseen = { first_seq: isKnown ? known.upTo + 1 : first_seq, last_seq };
    const found = await batchSearch(manager, address, this.foreign).last(unseen);
    const last = found ?? (isKnown ? known.last : undefined);
    this.known = last && { upTo: last_seq, last };
    if (last === undefined) {
      logger.warn(
        { stream: address.stream, messages: state.messages },
        "No message in the stream is sealed with this node's key. Replicas that lack earlier batches need a new copy",
      );
    }
    return last?.value;
  }

  /**
   * Whether the batch of the last message belongs to this database, and the next one is in its log or not written yet.
   */
  private leadsOn({ batch, base, index, count }: BatchPiece, maxPiece: number): boolean {
    const { log } = this.options;
    if (!equalBytes(base.hash, log.base.hash) || base.sequence !== log.base.sequence) return false;
    const isPart = index + 1 < count;
    const first = log.first(batch.sequence);
    if (isPart) {
      const isSame = first !== undefined && equalBytes(first.hash, batch.hash);
      return isSame && pieceCount(first.length, maxPiece) === count;
    }
    const own = log.linkOf(batch.sequence);
    if (batch.sequence === log.latest) return own !== undefined && equalBytes(own.hash, batch.hash);
    const next = log.first(batch.sequence + 1);
    return next?.sequence === batch.sequence + 1 && equalBytes(next.previous, batch.hash);
  }

  private hasOverflown(next: number): boolean {
    const first = this.options.log.first(next);
    return first !== undefined && first.sequence > next;
  }

  private firstLogged(): number {
    const { log } = this.options;
    return log.first(0)?.sequence ?? log.latest + 1;
  }

  /** Publishes until it is stopped. Rejects if a message is not acknowledged, or if the log has lost batches. */
  private async publishFrom(from: Position, maxPiece: number): Promise<void> {
    const { log, connection } = this.options;
    const appender = new StreamAppender(connection);
    this.appender = appender;
    let position = from;
    try {
      while (!this.isStopped) {
        for (const batch of log.batches(position.batch)) {
          if (batch.sequence !== position.batch) throw new Error(`batch ${position.batch} is no longer in the log`);
          position = await this.publishBatch(batch, position, maxPiece, appender);
          backlog.set(log.latest - batch.sequence);
          if (this.isStopped) break;
        }
        if (!this.isStopped) await log.written(position.batch - 1, IDLE_WAIT);
      }
    } finally {
      appender.close();
    }
  }

  private async publishBatch(
    batch: LinkedBatch,
    position: Position,
    maxPiece: number,
    appender: StreamAppender,
  ): Promise<Position> {
    const { address, log, head } = this.options;
    const { packed, sequence } = batch;
    const count = pieceCount(packed.length, maxPiece);
    let { message } = position;
    for (let index = position.piece; index < count; index++, message++) {
      const data = packed.subarray(index * maxPiece, (index + 1) * maxPiece);
      const piece = { batch, base: log.base, index, count, head: head(), term: this.term };
      const headers = pieceHeaders(piece, message + 1, data, address.seal);
      await appender.append(batchSubject(address), data, headers, message);
      this.known = { upTo: message + 1, last: { seq: message + 1, value: piece } };
    }
    log.acknowledge(sequence);
    PUBLISHED_BATCHES.add();
    PUBLISHED_BYTES.add(packed.length);
    return { message, batch: sequence + 1, piece: 0 };
  }
}

function pieceBytes({ info }: NatsConnection): number {
  return Math.min((info?.max_payload ?? MAX_PIECE) - HEADER_BYTES, MAX_PIECE);
}
