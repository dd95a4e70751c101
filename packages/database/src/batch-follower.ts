import type { ThreadError } from "@cambium/primitives";
import type { LinkedBatch } from "./batch-log-reader.js";
import { type BatchLink, latestLink, linkOf } from "./integrity/batch-chain.js";
import { type Level, openLevel } from "./level-opening.js";
import { LevelWriter } from "./level-writer.js";

/**
 * Applies the batches of another database to a copy of it, each of them once and in order. A batch carries its number
 * and the hash of those before it. Both are stored with it, as in the original database.
 */
export class BatchFollower {
  private latest: BatchLink;

  private constructor(
    private readonly level: Level,
    private readonly writer: LevelWriter,
    /** See `BatchLogReader`. */
    readonly base: BatchLink,
    last: BatchLink,
  ) {
    this.latest = last;
  }

  /**
   * Opens a database that this process already has open, and that has no other writer. Rejects as `attachLevelDatabase`
   * does.
   */
  static async open(location: string, onFailure: (error: ThreadError) => void): Promise<BatchFollower> {
    const level = await openLevel(location);
    const [base, last] = [await latestLink(level, 0), await latestLink(level, 1)];
    return new BatchFollower(level, new LevelWriter(location, 1, onFailure), base, last);
  }

  /** The latest batch; its number is 0 if there is none. */
  get last(): BatchLink {
    return this.latest;
  }

  /** Works like `BatchLogReader.linkOf`. */
  linkOf(sequence: number): BatchLink | undefined {
    return linkOf(this.level, 1, sequence);
  }

  /**
   * Writes a batch; resolves when the operating system has it. Rejects with `DatabaseError` `BATCH_ORDER` or
   * `BATCH_CONTENT` if it is not the next one, and with other errors if it cannot be written. No batch can be applied
   * after a failed write.
   */
  async apply({ packed, sequence, hash, previous }: LinkedBatch): Promise<void> {
    const link = { sequence, hash, previous };
    await this.writer.apply(packed, link);
    this.latest = link;
  }

  async close(): Promise<void> {
    await this.writer.close();
    await this.level.close();
  }
}
