import { BatchLog, type BatchLogOptions } from "./batch-log.js";
import { BatchChain, type BatchLink, type WriterNumber } from "./integrity/batch-chain.js";
import type { Level } from "./level-opening.js";
import { BATCH_TIME, WRITTEN_BYTES } from "./measurements.js";
import { replayBatch } from "./packed-batch.js";

/** Milliseconds after which a written batch is flushed from the operating system's memory to the disk. */
const SYNC_INTERVAL = 2_000;

/** Writes batches in order, links them, and flushes them to the disk at intervals. */
export class BatchWriter {
  private previous: Promise<void> = Promise.resolve();
  private lastSync = performance.now();
  /** Pending if the latest batches are not flushed. */
  private syncTimer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly level: Level,
    private readonly chain: BatchChain,
    private readonly log: BatchLog | undefined,
  ) {}

  /** Opens a writer. If given a `log`, it keeps copies of the batches, see {@link BatchLog}. */
  static async open(level: Level, writer: WriterNumber, log?: BatchLogOptions): Promise<BatchWriter> {
    const chain = await BatchChain.open(level, writer);
    return new BatchWriter(level, chain, log && (await BatchLog.open(level.location, chain.last, log)));
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
      await this.commit((options) => batch.write(options), start - this.lastSync >= SYNC_INTERVAL);
      this.log?.committed(link);
      BATCH_TIME.observe((performance.now() - start) / 1_000);
      WRITTEN_BYTES.add(packed.length);
    });
  }

  /** Flushes the latest batches. Never rejects: a failure was, or would have been, reported by {@link write}. */
  async close(): Promise<void> {
    await this.previous.catch(() => undefined);
    if (this.syncTimer !== undefined) {
      clearTimeout(this.syncTimer);
      await this.sync().catch(() => undefined);
    }
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

  /** LevelDB flushes its log only with a batch: the latest link is written again. */
  private sync(): Promise<void> {
    const { key, value } = this.chain.latest();
    return this.inOrder(() => this.commit((options) => this.level.put(key, value, options), true));
  }

  private async commit(write: (options: { sync: boolean }) => Promise<void>, sync: boolean): Promise<void> {
    if (sync) await this.log?.flush();
    await write({ sync });
    if (sync) {
      clearTimeout(this.syncTimer);
      this.syncTimer = undefined;
      this.lastSync = performance.now();
    } else {
      this.syncTimer ??= setTimeout(() => void this.sync().catch(() => undefined), SYNC_INTERVAL);
    }
  }
}
