import { closeSync, openSync } from "node:fs";
import { type BatchLogOptions, BatchLogProgress } from "./batch-log.js";
import {
  type LogRecord,
  logFile,
  logFiles,
  logFolder,
  RECORD_HEADER,
  readContent,
  readRecord,
  reviewLog,
} from "./batch-log-files.js";
import { type BatchLink, latestLink, linkOf } from "./integrity/batch-chain.js";
import { type Level, openLevel } from "./level-opening.js";

/** A batch with its place in the chain of batches. `packed` is the written form. */
export interface LinkedBatch extends BatchLink {
  readonly packed: Uint8Array;
}

/** Writers: a running node, and commands that write while it is stopped. */
const RUNNING = 1;
const MAINTENANCE = 0;

/** Position of a readable record. */
interface Place {
  file: number;
  at: number;
  record: LogRecord;
}

/** Reads the log of a database that another handle of this process writes with {@link BatchLogOptions}. */
export class BatchLogReader {
  /** File that was read last, and the position of its next record. */
  private cursor: { file: number; at: number; sequence: number } | undefined;

  private constructor(
    private readonly folder: string,
    private readonly level: Level,
    private readonly progress: BatchLogProgress,
    /**
     * Latest batch that a command has written while the node was stopped. A database with this batch, and all batches,
     * has the same data.
     */
    readonly base: BatchLink,
    private readonly atOpening: BatchLink,
  ) {}

  /** Opens the log before anything is written. Rejects as `attachLevelDatabase` does. */
  static async open(location: string, { memory }: Pick<BatchLogOptions, "memory">): Promise<BatchLogReader> {
    const level = await openLevel(location);
    const [base, last] = [await latestLink(level, MAINTENANCE), await latestLink(level, RUNNING)];
    const folder = logFolder(location);
    await reviewLog(folder, last);
    return new BatchLogReader(folder, level, new BatchLogProgress(memory), base, last);
  }

  /** Sequence number of the latest batch on disk, logged or not; 0 if there is none. */
  get latest(): number {
    return Math.max(this.atOpening.sequence, this.progress.committed);
  }

  /** The link of one of the latest 4,096 batches; undefined if it is older, or does not exist. */
  linkOf(sequence: number): BatchLink | undefined {
    return linkOf(this.level, RUNNING, sequence);
  }

  /** The logged batches from a sequence number on, ascending, until all are read that are on disk. */
  *batches(from: number): Generator<LinkedBatch> {
    let next = from;
    for (let place = this.place(next); place !== undefined; place = this.place(next)) {
      const { file, at, record } = place;
      const { sequence, hash, previous } = record;
      const packed = readContent(file, at, record);
      next = sequence + 1;
      this.cursor = { file, at: at + RECORD_HEADER + packed.length, sequence: next };
      yield { sequence, hash, previous, packed };
    }
  }

  /**
   * The link of the first logged batch from a sequence number on, and its length in bytes; undefined if there is none.
   */
  first(from: number): LogRecord | undefined {
    return this.place(from)?.record;
  }

  /** Sequence number of the latest batch that need not be kept; 0 if none was acknowledged since the start. */
  get acknowledged(): number {
    return this.progress.acknowledged;
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

  async close(): Promise<void> {
    this.leave();
    await this.level.close();
  }

  /** Returns the position of the first committed record from a sequence number on. */
  private place(from: number): Place | undefined {
    const { cursor } = this;
    const record = cursor?.sequence === from && from <= this.latest ? readRecord(cursor.file, cursor.at) : undefined;
    if (record !== undefined) return { file: cursor!.file, at: cursor!.at, record };
    const files = from <= this.latest ? logFiles(this.folder) : [];
    const start = Math.max(
      files.findLastIndex((first) => first <= from),
      0,
    );
    for (const first of files.slice(start)) {
      const found = this.enter(first) && this.find(from);
      if (found) return found.record.sequence > this.latest ? undefined : found;
    }
    return undefined;
  }

  /** Opens a file; returns false if it has been deleted. */
  private enter(first: number): boolean {
    this.leave();
    try {
      this.cursor = { file: openSync(logFile(this.folder, first), "r"), at: 0, sequence: first };
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  private leave(): void {
    if (this.cursor !== undefined) closeSync(this.cursor.file);
    this.cursor = undefined;
  }

  /** The first record of the open file from a sequence number on, to which the cursor is moved. */
  private find(from: number): Place | undefined {
    const { file } = this.cursor!;
    for (let at = 0, record = readRecord(file, at); record !== undefined; record = readRecord(file, at)) {
      this.cursor = { file, at, sequence: record.sequence };
      if (record.sequence >= from) return { file, at, record };
      at += RECORD_HEADER + record.length;
    }
    return undefined;
  }
}
