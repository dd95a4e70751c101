import { existsSync } from "node:fs";
import { basename } from "node:path";
import { concatBytes, EMPTY_BYTES, plainBytes, type ThreadError } from "@cambium/primitives";
import type { BatchLogOptions } from "./batch-log.js";
import { BatchWriter } from "./batch-writer.js";
import type { Database, Table, Write } from "./database.js";
import { DatabaseError } from "./errors.js";
import { missingBatch, type WriterNumber } from "./integrity/batch-chain.js";
import { databaseFiles, isAbsent } from "./integrity/database-files.js";
import { checkFiles } from "./integrity/file-check.js";
import { databaseSize, repairedPath } from "./integrity/restore-files.js";
import { type Level, type LevelDatabaseOptions, openLevel, writeBufferSize } from "./level-opening.js";
import { LevelWriter } from "./level-writer.js";
import { READ_BYTES, READS } from "./measurements.js";
import { packBatch, packedLength } from "./packed-batch.js";

/** Bytes of the newest tables. */
const NEWEST_BYTES = 64 * 1024 * 1024;

export interface OpenOptions extends LevelDatabaseOptions {
  /** Whether to create the database if the directory has no files of one. */
  create?: boolean;
  /** Returns the first content of a database that is created. The calling thread writes it. */
  content?: () => readonly Write[];
  /** Tables to verify: by default the newest ones, in about 0.1 s. */
  verify?: "newest" | "all";
  /** See {@link AttachOptions}. */
  writesHere?: boolean | undefined;
}

/**
 * Opens the database in a directory for this process; other threads then {@link attachLevelDatabase attach} to it.
 * Verifies the logs, the newest tables and the chain of batches first. Rejects with {@link DatabaseError}
 * `DATABASE_MISSING`, `DATABASE_FILES` or `DATABASE_OPEN`.
 */
export async function openLevelDatabase(location: string, options: OpenOptions = {}): Promise<Database> {
  requireNoRepair(location);
  const isNew = isAbsent(databaseFiles(location));
  if (isNew && !options.create) throw new DatabaseError({ code: "DATABASE_MISSING", location });
  if (!isNew) await verifyFiles(location, options.verify === "all" ? Number.MAX_SAFE_INTEGER : NEWEST_BYTES);
  const tables = isNew ? 0 : databaseSize(location).tables;
  const level = await openLevel(location, {
    writeBufferSize: writeBufferSize(tables),
    ...options,
    createIfMissing: isNew,
  });
  try {
    await verifyBatches(level, location);
    if (isNew && options.content !== undefined) await writeHere(level, options.content());
  } catch (error) {
    await level.close();
    throw error;
  }
  if (options.writesHere) return openWithWriterHere(level, 0);
  return new LevelDatabase(level, () => new LevelWriter(location, 0));
}

export interface AttachOptions extends LevelDatabaseOptions {
  /** Called once if the writing thread ends unexpectedly; no further write is possible then. */
  onWriterFailure?: (error: ThreadError) => void;
  /**
   * Whether the calling thread writes batches. Small batches are then written sooner, but large ones block the thread.
   */
  writesHere?: boolean;
  /** Keeps copies of the batches until they are acknowledged, for {@link BatchLogReader}. */
  log?: BatchLogOptions | undefined;
}

/**
 * Opens a database that this process has open already, in the same or another thread. Of all attached handles, at most
 * one may write. Rejects with {@link DatabaseError} `DATABASE_OPEN`.
 */
export async function attachLevelDatabase(location: string, options: AttachOptions = {}): Promise<Database> {
  const { onWriterFailure, writesHere, log, ...sizes } = options;
  const level = await openLevel(location, sizes);
  if (writesHere) return openWithWriterHere(level, 1, log);
  return new LevelDatabase(level, () => new LevelWriter(location, 1, onWriterFailure, log));
}

/**
 * Opens a database without verifying it, to repair it: batches are written by the calling thread, since they are few.
 * Rejects with {@link DatabaseError} `DATABASE_OPEN`.
 */
export async function openUnverified(location: string): Promise<Database> {
  return openWithWriterHere(await openLevel(location), 0);
}

/** Writes one batch: a separate thread takes longer to start. */
async function writeHere(level: Level, batch: readonly Write[]): Promise<void> {
  const writer = new WriterHere(await BatchWriter.open(level, 0));
  await writer.write(batch);
  await writer.close();
}

async function openWithWriterHere(level: Level, number: WriterNumber, log?: BatchLogOptions): Promise<Database> {
  const writer = new WriterHere(await BatchWriter.open(level, number, log));
  return new LevelDatabase(level, () => writer);
}

/** Throws if a repair was interrupted while it replaced the database; its result is next to the database. */
function requireNoRepair(location: string): void {
  if (!existsSync(repairedPath(location))) return;
  const file = basename(repairedPath(location));
  throw new DatabaseError({ code: "DATABASE_FILES", location, file, reason: "a repair was interrupted" });
}

async function verifyFiles(location: string, tableBytes: number): Promise<void> {
  const [problem] = (await checkFiles(location, tableBytes)).problems;
  if (problem !== undefined) throw new DatabaseError({ code: "DATABASE_FILES", location, ...problem });
}

async function verifyBatches(level: Level, location: string): Promise<void> {
  const reason = await missingBatch(level).catch((error: Error) => error.message);
  if (reason !== undefined) throw new DatabaseError({ code: "DATABASE_FILES", location, file: "log", reason });
}

type Writer = Pick<LevelWriter, "write" | "close">;

/** Writes in the calling thread. */
class WriterHere implements Writer {
  constructor(private readonly batches: BatchWriter) {}

  write(batch: readonly Write[]): Promise<void> {
    const packed = new Uint8Array(packedLength(batch));
    packBatch(batch, packed);
    return this.batches.write(packed);
  }

  close(): Promise<void> {
    return this.batches.close();
  }
}

const LONGEST_KEPT_KEY = 80;

class LevelDatabase implements Database {
  /** Buffers for keys by their lengths; LevelDB no longer needs them when `get` returns. */
  private readonly keys = Array.from({ length: LONGEST_KEPT_KEY + 1 }, (_, length) => new Uint8Array(1 + length));
  private writer: Writer | undefined;

  constructor(
    private readonly level: Level,
    /** Called for the first batch. */
    private readonly startWriter: () => Writer,
  ) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const whole = this.keys[key.length] ?? new Uint8Array(1 + key.length);
    whole[0] = table;
    whole.set(key, 1);
    try {
      const value = this.level.getSync(whole);
      READS.add();
      if (value === undefined) return undefined;
      READ_BYTES.add(value.length);
      return plainBytes(value);
    } catch (error) {
      throw readFailure(error);
    }
  }

  write(batch: readonly Write[]): Promise<void> {
    this.writer ??= this.startWriter();
    return this.writer.write(batch);
  }

  async *entries(table: Table, prefix = EMPTY_BYTES): AsyncGenerator<{ key: Uint8Array; value: Uint8Array }> {
    const first = concatBytes(Uint8Array.of(table), prefix);
    const iterator = this.level.iterator({ gte: first, lt: firstBeyond(first) });
    try {
      for await (const [key, value] of iterator) yield { key: plainBytes(key).subarray(1), value: plainBytes(value) };
    } catch (error) {
      throw (error as { code?: string }).code?.startsWith("LEVEL_") ? readFailure(error) : error;
    }
  }

  async close(): Promise<void> {
    await this.writer?.close();
    await this.level.close();
  }
}

/** Returns the lowest key above all that begin with a prefix, whose first byte is a table. */
function firstBeyond(prefix: Uint8Array): Uint8Array {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  const out = prefix.slice(0, last + 1);
  out[last]!++;
  return out;
}

function readFailure(error: unknown): DatabaseError {
  return new DatabaseError({ code: "DATABASE_READ", reason: (error as Error).message }, { cause: error });
}
