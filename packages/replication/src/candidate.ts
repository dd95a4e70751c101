import type { BatchFollower, BatchLink } from "@cambium/database";
import { EMPTY_BYTES, type Logger, pause } from "@cambium/primitives";
import {
  JetStreamApiCodes,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamState,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type BatchStreamOptions, openBatchStream } from "./batch-stream.js";
import { batchSubject } from "./connection.js";
import { FailureLog } from "./failure-log.js";
import { ForeignMessages } from "./foreign-messages.js";
import { hasCode, type Lease } from "./lease.js";
import { type BatchPiece, type Head, pieceHeaders } from "./stream-message.js";
import { batchSearch } from "./stream-search.js";
import type { Subscriber } from "./subscriber.js";

/** Milliseconds between attempts to get the lease, and between checks of a holder for the end of the stream. */
const CONTEND_WAIT = 250;
const END_WAIT = 20;

export interface CandidateOptions extends BatchStreamOptions {
  connection: NatsConnection;
  lease: Lease;
  subscriber: Pick<Subscriber, "hasRead">;
  follower: Pick<BatchFollower, "base" | "last" | "linkOf">;
  /** Returns the first batch in the log of this database; undefined if there is none. */
  firstLogged: () => Promise<number | undefined>;
  /** Returns the best block. */
  head: () => Head;
  logger: Logger;
}

/**
 * A standby that becomes the writer. It competes for the lease while its database matches the end of the stream. With
 * the lease, it appends a message that begins its term. The server accepts each message only as the successor of the
 * last one that its sender knew. No message of an earlier writer can therefore follow.
 */
export class Candidate {
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;
  private readonly foreign: ForeignMessages;

  /**
   * Starts immediately. `elected` is called with the number of the term, higher than all before. The subscriber should
   * then be closed.
   */
  constructor(
    private readonly options: CandidateOptions,
    elected: (term: number) => void,
  ) {
    this.foreign = ForeignMessages.unsealed(options.logger, "batch");
    this.running = this.run(elected);
  }

  /** Stops without releasing the lease. */
  async close(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  private async run(elected: (term: number) => void): Promise<void> {
    const { connection, lease, logger } = this.options;
    const failures = new FailureLog(logger, "ask for the lease of the stream");
    let isOpen = false;
    while (!this.stopped.signal.aborted && !connection.isClosed()) {
      try {
        const manager = await jetstreamManager(connection, { checkAPI: false });
        if (!isOpen) await openBatchStream(manager, this.options);
        isOpen = true;
        const term = await this.contend(manager);
        if (term !== undefined) {
          elected(term);
          return;
        }
        failures.succeeded();
      } catch (error) {
        failures.failed(error as Error);
      }
      await pause(lease.isHeld ? END_WAIT : CONTEND_WAIT, this.stopped.signal);
    }
  }

  /**
   * Tries to begin a term. Undefined if another node holds the lease, or the stream has batches that are not applied.
   */
  private async contend(manager: JetStreamManager): Promise<number | undefined> {
    const { address, lease, logger, subscriber } = this.options;
    const { state } = await manager.streams.info(address.stream);
    if (!subscriber.hasRead(state)) return undefined;
    if (!lease.isHeld) {
      if (!(await lease.acquire())) return undefined;
      logger.info({ stream: address.stream }, "Got the lease of the stream");
      return undefined;
    }
    return this.beginTerm(manager, state);
  }

  /** Appends the message. Undefined if another message came first. */
  private async beginTerm(manager: JetStreamManager, state: StreamState): Promise<number | undefined> {
    const { address, connection, follower, head } = this.options;
    const search = batchSearch(manager, address, this.foreign);
    const last = state.messages === 0 ? undefined : (await search.last(state))?.value;
    const term = Math.max(last?.term ?? 0, state.last_seq) + 1;
    const batch = last === undefined ? await this.beforeFirst() : this.complete(last);
    const piece = { batch, base: follower.base, index: 0, count: 0, head: head(), term };
    const headers = pieceHeaders(piece, state.last_seq + 1, EMPTY_BYTES, address.seal);
    try {
      await jetstream(connection).publish(batchSubject(address), EMPTY_BYTES, {
        headers,
        expect: { lastSequence: state.last_seq },
        retries: 1,
      });
      return term;
    } catch (error) {
      if (hasCode(error, JetStreamApiCodes.StreamWrongLastSequence)) return undefined;
      throw error;
    }
  }

  /** Returns the last batch whose pieces are all in the stream. */
  private complete({ batch, index, count }: BatchPiece): BatchLink {
    if (index + 1 >= count) return batch;
    return this.options.follower.linkOf(batch.sequence - 1) ?? this.options.follower.last;
  }

  /** Returns the batch before the first one of an empty stream. */
  private async beforeFirst(): Promise<BatchLink> {
    const { firstLogged, follower } = this.options;
    const first = await firstLogged();
    return (first === undefined ? undefined : follower.linkOf(first - 1)) ?? follower.last;
  }
}
