import { closeSync, fdatasync, openSync, rmSync, statSync, writevSync } from "node:fs";
import { promisify } from "node:util";
import { encodeRecord, logFile, logFiles, logFolder, RECORD_HEADER, reviewLog } from "./batch-log-files.js";
import type { BatchLink } from "./integrity/batch-chain.js";

/** Bytes after which a log continues in another file, and their maximum share of the kept bytes. */
const FILE_BYTES = 16 * 1024 * 1024;
const FILE_SHARE = 1 / 8;

const flush = promisify(fdatasync);

/** Numbers that the writer of a log and its reader share, by their positions. */
const COMMITTED = 0;
const ACKNOWLEDGED = 1;

/** Settings that the threads of a process share to write and read a log, as plain data. */
export interface BatchLogOptions {
  /** See {@link batchLogMemory}. */
  memory: SharedArrayBuffer;
  /**
   * Bytes of batches that are kept; beyond that, the files with the oldest ones are deleted. The newest batch is always
   * kept.
   */
  maxBytes: number;
}

/** Memory for {@link BatchLogOptions}. */
export function batchLogMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
}

/** Progress of a log: sequence numbers of the latest batch on disk, and of the latest one that need not be kept. */
export class BatchLogProgress {
  private readonly numbers: BigInt64Array<SharedArrayBuffer>;

  constructor(memory: SharedArrayBuffer) {
    this.numbers = new BigInt64Array(memory);
  }

  commit(sequence: number): void {
    Atomics.store(this.numbers, COMMITTED, BigInt(sequence));
    Atomics.notify(this.numbers, COMMITTED);
  }

  /** 0 until a batch was committed since the start. */
  get committed(): number {
    return Number(Atomics.load(this.numbers, COMMITTED));
  }

  acknowledge(sequence: number): void {
    Atomics.store(this.numbers, ACKNOWLEDGED, BigInt(sequence));
  }

  get acknowledged(): number {
    return Number(Atomics.load(this.numbers, ACKNOWLEDGED));
  }

  /** Resolves when {@link committed} is no longer `known`, or after `timeout` milliseconds. */
  async changed(known: number, timeout: number): Promise<void> {
    const { async: isPending, value } = Atomics.waitAsync(this.numbers, COMMITTED, BigInt(known), timeout);
    if (isPending) await value;
  }
}

/**
 * Keeps copies of a writer's batches in files next to those of its database, until another thread has acknowledged
 * them. A batch is appended before the database commits it, so that a killed process loses none. The number of bytes is
 * bounded.
 *
 * Keys of the database itself would be simpler, but LevelDB writes each of them a second and third time when it merges
 * tables.
 */
export class BatchLog {
  private readonly progress: BatchLogProgress;
  private readonly fileBytes: number;
  /** The files, ascending, with their sizes. */
  private readonly files: LogFile[];
  private bytes = 0;
  /** Open for appending; those before it are not flushed yet. */
  private open: number[] = [];

  private constructor(
    private readonly folder: string,
    private readonly maxBytes: number,
    memory: SharedArrayBuffer,
  ) {
    this.progress = new BatchLogProgress(memory);
    this.fileBytes = Math.min(FILE_BYTES, maxBytes * FILE_SHARE);
    this.files = logFiles(folder).map((first) => ({ first, bytes: statSync(logFile(folder, first)).size }));
    for (const { bytes } of this.files) this.bytes += bytes;
  }

  /**
   * Opens the log of a database whose latest batch is `last`. Batches that do not end there, because later ones were
   * written without the log, are dropped.
   */
  static async open(location: string, last: BatchLink, { memory, maxBytes }: BatchLogOptions): Promise<BatchLog> {
    const folder = logFolder(location);
    await reviewLog(folder, last);
    return new BatchLog(folder, maxBytes, memory);
  }

  /** Appends a packed batch, and deletes files that are no longer needed. */
  append(link: BatchLink, packed: Uint8Array): void {
    const file = this.fileFor(link);
    writevSync(this.open.at(-1)!, [encodeRecord(link, packed.length), packed], file.bytes);
    const length = RECORD_HEADER + packed.length;
    file.bytes += length;
    this.bytes += length;
    this.drop();
  }

  committed({ sequence }: BatchLink): void {
    this.progress.commit(sequence);
  }

  /** Resolves when everything that was appended is on disk. */
  async flush(): Promise<void> {
    const current = this.open.at(-1);
    for (const file of [...this.open]) {
      await flush(file);
      if (file !== current) this.closeFile(file);
    }
  }

  close(): void {
    for (const file of [...this.open]) this.closeFile(file);
  }

  private fileFor({ sequence }: BatchLink): LogFile {
    const latest = this.files.at(-1);
    if (latest !== undefined && latest.bytes < this.fileBytes) {
      if (this.open.length === 0) this.open.push(openSync(logFile(this.folder, latest.first), "r+"));
      return latest;
    }
    const next = { first: sequence, bytes: 0 };
    this.open.push(openSync(logFile(this.folder, sequence), "w"));
    this.files.push(next);
    return next;
  }

  private drop(): void {
    const { acknowledged } = this.progress;
    for (let next = this.files[1]; next !== undefined; next = this.files[1]) {
      const isKept = next.first - 1 > acknowledged && this.bytes <= this.maxBytes;
      if (isKept) return;
      const { first, bytes } = this.files.shift()!;
      this.bytes -= bytes;
      rmSync(logFile(this.folder, first));
    }
  }

  private closeFile(file: number): void {
    this.open.splice(this.open.indexOf(file), 1);
    closeSync(file);
  }
}

interface LogFile {
  /** Sequence number of its first batch. */
  first: number;
  bytes: number;
}
