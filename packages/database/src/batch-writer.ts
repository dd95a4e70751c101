import { BatchLog, type BatchLogOptions } from "./batch-log.js";
import { flushLogs } from "./flush-logs.js";
import { BatchChain, type BatchLink, type WriterNumber } from "./integrity/batch-chain.js";
import type { Level } from "./level-opening.js";
import { BATCH_TIME, WRITTEN_BYTES } from "./measurements.js";
import { replayBatch } from "./packed-batch.js";

/** Milliseconds after which a written batch is flushed from the operating system's memory to the disk. */
const FLUSH_INTERVAL = 2_000;

/**
 * Writes batches in order, links them, and flushes them to the disk at intervals. A flush takes half a second on a busy
 * disk. Writes wait for it only if the writer keeps copies of the batches.
 */
export class BatchWriter {
  private previous: Promise<void> = Promise.resolve();
  private flushing: Promise<void> = Promise.resolve();
  /** Pending if the latest batches are not flushed. */
  private flushTimer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly level: Level,
    private readonly chain: BatchChain,
    private readonly log: BatchLog | undefined,
    private readonly flushDatabase: typeof flushLogs,
  ) {}

  /**
   * Opens a writer. If given a `log`, it keeps copies of the batches, see {@link BatchLog}.
   */
  static async open(
    level: Level,
    writer: WriterNumber,
    log?: BatchLogOptions,
    flushDatabase = flushLogs,
  ): Promise<BatchWriter> {
    const chain = await BatchChain.open(level, writer);
    const copies = log && (await BatchLog.open(level.location, chain.last, log));
    return new BatchWriter(level, chain, copies, flushDatabase);
  }

  /**
   * Writes a batch packed by `packBatch`. After a failure, no further batch is written. Rejects with `DatabaseError`
   * `BATCH_ORDER` or `BATCH_CONTENT` if the batch is not the `expected` one.
   */
  write(packed: Uint8Array, expected?: BatchLink): Promise<void> {
    return this.inOrder(async () => {
      const start = performance.now();
      const batch = this.level.batch();
      const { key, value } = this.chain.next(packed, expected);
      const link = this.chain.last;
      batch.put(key, value);
      replayBatch(packed, batch);
      this.log?.append(link, packed);
      await batch.write();
      this.flushTimer ??= setTimeout(() => this.flush(), FLUSH_INTERVAL);
      this.log?.committed(link);
      BATCH_TIME.observe((performance.now() - start) / 1_000);
      WRITTEN_BYTES.add(packed.length);
    });
  }

  /** Flushes the latest batches. Never rejects: a failure was, or would have been, reported by {@link write}. */
  async close(): Promise<void> {
    await this.previous.catch(() => undefined);
    if (this.flushTimer !== undefined) this.flush();
    await this.flushing;
    this.log?.close();
  }

  /**
   * A failed write leaves a part of a batch in the log, which makes LevelDB skip later batches: no further write is
   * allowed.
   */
  private inOrder(write: () => Promise<void>): Promise<void> {
    const writing = this.previous.then(write);
    writing.catch(() => undefined);
    this.previous = writing;
    return writing;
  }

  /**
   * Flushes what is written so far, after the flush in progress. After a failure, nothing is flushed. Copies must reach
   * the disk before the batches do, so if there are any, no batch is written in between.
   */
  private flush(): void {
    clearTimeout(this.flushTimer);
    this.flushTimer = undefined;
    const flush = async () => {
      await this.log?.flush();
      await this.flushDatabase(this.level, this.chain.latest());
    };
    this.flushing = this.flushing
      .then(() => (this.log === undefined ? this.previous.then(flush) : this.inOrder(flush)))
      .catch((error) => void this.inOrder(() => Promise.reject(error)));
  }
}
