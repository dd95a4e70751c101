import { type BatchLogOptions, BatchLogProgress, logLink, logRangeFrom } from "./batch-log.js";
import { type BatchLink, latestLink, linkOf } from "./integrity/batch-chain.js";
import { type Level, openLevel } from "./level-opening.js";

/** A batch with its place in the chain of batches. `packed` is what the writer has written. */
export interface LinkedBatch extends BatchLink {
  readonly packed: Uint8Array;
}

/** Lane of the batches that a node writes while it runs, and of those that commands write while it does not. */
const RUNNING = 1;
const MAINTENANCE = 0;

/** Reads the log of a database that another handle of this process writes with {@link BatchLogOptions}. */
export class BatchLogReader {
  private constructor(
    private readonly level: Level,
    private readonly progress: BatchLogProgress,
    /** The latest batch that a command has written while the node did not run: whoever has the same, and all batches, has the same data. */
    readonly base: BatchLink,
    private readonly atOpening: BatchLink,
  ) {}

  /** Opens the log before anything is written. Rejects as `attachLevelDatabase` does. */
  static async open(location: string, { memory }: Pick<BatchLogOptions, "memory">): Promise<BatchLogReader> {
    const level = await openLevel(location);
    const [base, last] = [await latestLink(level, MAINTENANCE), await latestLink(level, RUNNING)];
    return new BatchLogReader(level, new BatchLogProgress(memory), base, last);
  }

  /** Sequence number of the latest batch on disk, logged or not; 0 if there is none. */
  get latest(): number {
    return Math.max(this.atOpening.sequence, this.progress.committed);
  }

  /** The link of one of the latest 4,096 batches; undefined if it is older, or does not exist. */
  linkOf(sequence: number): BatchLink | undefined {
    return linkOf(this.level, RUNNING, sequence);
  }

  /** The logged batches from a sequence number on, ascending, as of this call. */
  async *batches(from: number): AsyncGenerator<LinkedBatch> {
    for await (const [key, packed] of this.level.iterator(logRangeFrom(from))) {
      const { sequence, hash, previous } = logLink(key);
      yield { sequence, hash, previous, packed };
    }
  }

  /** The link of the first logged batch from a sequence number on, and its length in bytes; undefined if there is none. */
  async first(from: number): Promise<(BatchLink & { length: number }) | undefined> {
    const [key] = await this.level.keys({ ...logRangeFrom(from), limit: 1 }).all();
    return key && logLink(key);
  }

  /** Lets the writer delete the batches up to a sequence number. */
  acknowledge(sequence: number): void {
    this.progress.acknowledge(sequence);
  }

  /** Resolves when batches after `known` are on disk, or after `timeout` milliseconds. */
  async written(known: number, timeout: number): Promise<void> {
    const { committed } = this.progress;
    if (Math.max(committed, this.atOpening.sequence) <= known) await this.progress.changed(committed, timeout);
  }

  close(): Promise<void> {
    return this.level.close();
  }
}
