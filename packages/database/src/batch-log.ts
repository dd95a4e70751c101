import type { BatchLink } from "./integrity/batch-chain.js";
import { readNumber, writeNumber } from "./keys.js";
import type { Level } from "./level-opening.js";
import type { BatchTarget } from "./packed-batch.js";

/** Table of the logged batches, which no user of a database has. */
export const LOG_TABLE = 0xff;
/** Table, sequence number, hash, hash of the batch before, length. */
const KEY_BYTES = 1 + 8 + 8 + 8 + 4;

/** Numbers that the writer of a log and its reader share, by their positions. */
const COMMITTED = 0;
const ACKNOWLEDGED = 1;

/** What the threads of a process that write and read a log share, as plain data. */
export interface BatchLogOptions {
  /** See {@link batchLogMemory}. */
  memory: SharedArrayBuffer;
  /** Bytes of batches that are kept; the oldest ones are deleted beyond it. The newest one is kept in any case. */
  maxBytes: number;
}

/** Memory for {@link BatchLogOptions}. */
export function batchLogMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
}

/** The progress of a log: sequence numbers of the latest batch on disk, and of the latest one that need not be kept. */
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
 * Keeps copies of a writer's batches in its database, in the same atomic writes, until another thread has acknowledged them: a killed
 * process loses none. Their number of bytes is bounded.
 */
export class BatchLog {
  private readonly progress: BatchLogProgress;
  private bytes = 0;

  private constructor(
    private readonly maxBytes: number,
    memory: SharedArrayBuffer,
    /** Keys in the database, ascending. */
    private readonly keys: Uint8Array[],
  ) {
    this.progress = new BatchLogProgress(memory);
    for (const key of keys) this.bytes += logLink(key).length;
  }

  /** Opens the log of a database whose latest batch is `last`. Batches that do not end there, because others followed unlogged, are dropped. */
  static async open(level: Level, last: BatchLink, { memory, maxBytes }: BatchLogOptions): Promise<BatchLog> {
    const keys = await level.keys(LOG_RANGE).all();
    const newest = keys.at(-1);
    const isCurrent = newest === undefined || logLink(newest).sequence === last.sequence;
    if (!isCurrent) await level.clear(LOG_RANGE);
    return new BatchLog(maxBytes, memory, isCurrent ? keys : []);
  }

  /** Adds to `batch` the entry of a packed batch, and the deletion of those that are not needed any more. */
  add(batch: BatchTarget, link: BatchLink, packed: Uint8Array): void {
    const key = logKey(link, packed.length);
    batch.put(key, packed);
    this.keys.push(key);
    this.bytes += packed.length;
    const { acknowledged } = this.progress;
    let dropped = 0;
    for (const old of this.keys) {
      const { sequence, length } = logLink(old);
      const isKept = sequence > acknowledged && this.bytes <= this.maxBytes;
      if (isKept || old === key) break;
      batch.del(old);
      this.bytes -= length;
      dropped++;
    }
    this.keys.splice(0, dropped);
  }

  committed({ sequence }: BatchLink): void {
    this.progress.commit(sequence);
  }
}

/** All entries, in ascending order of their sequence numbers. */
const LOG_RANGE = { gte: Uint8Array.of(LOG_TABLE) };

function logKey({ sequence, hash, previous }: BatchLink, length: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  key[0] = LOG_TABLE;
  writeNumber(key, 1, sequence);
  key.set(hash, 9);
  key.set(previous, 17);
  new DataView(key.buffer).setUint32(25, length);
  return key;
}

/** The link of the batch with a key, and the batch's length in bytes. */
export function logLink(key: Uint8Array): BatchLink & { length: number } {
  const length = new DataView(key.buffer, key.byteOffset).getUint32(25);
  return { sequence: readNumber(key, 1), hash: key.slice(9, 17), previous: key.slice(17, 25), length };
}

/** The entries from a sequence number on. */
export function logRangeFrom(sequence: number): { gte: Uint8Array } {
  const gte = new Uint8Array(9);
  gte[0] = LOG_TABLE;
  writeNumber(gte, 1, sequence);
  return { gte };
}
