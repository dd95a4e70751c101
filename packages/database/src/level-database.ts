import { Worker } from "node:worker_threads";
import { threadEntry } from "@cambium/primitives";
import type { Database, Table, Write } from "./database.js";
import { DatabaseError } from "./errors.js";
import { type Level, type LevelDatabaseOptions, openLevel } from "./level-opening.js";
import type { WriterAnswer, WriterRequest } from "./level-writer.js";
import { packBatch, packedLength } from "./packed-batch.js";

/**
 * Opens (or creates) the database in a directory. Throws {@link DatabaseError} `DATABASE_OPEN`. Several threads of one
 * process may open the same directory; another process is refused.
 */
export async function openLevelDatabase(location: string, options: LevelDatabaseOptions = {}): Promise<Database> {
  try {
    return new LevelDatabase(location, await openLevel(location, options));
  } catch (error) {
    throw new DatabaseError({ code: "DATABASE_OPEN", location, reason: openingFault(error) }, { cause: error });
  }
}

function openingFault(error: unknown): string {
  const cause = (error as Error).cause ?? error;
  return (cause as { code?: string }).code === "LEVEL_LOCKED"
    ? "another process uses it"
    : (cause as Error).message || String(cause);
}

class LevelDatabase implements Database {
  private writer: LevelWriter | undefined;
  /** Keys of hashes, the usual case, are put together here: LevelDB has read them when `get` returns. */
  private readonly hashKey = new Uint8Array(33);

  constructor(
    private readonly location: string,
    private readonly level: Level,
  ) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const whole = key.length === 32 ? this.hashKey : new Uint8Array(1 + key.length);
    whole[0] = table;
    whole.set(key, 1);
    return this.level.getSync(whole);
  }

  write(batch: readonly Write[]): Promise<void> {
    this.writer ??= new LevelWriter(this.location);
    return this.writer.write(batch);
  }

  async *entries(table: Table): AsyncGenerator<{ key: Uint8Array; value: Uint8Array }> {
    const range = { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1) };
    for await (const [key, value] of this.level.iterator(range)) yield { key: key.subarray(1), value };
  }

  async close(): Promise<void> {
    await this.writer?.close();
    await this.level.close();
  }
}

/** Batches are not in the heap of the thread, only their lists of operations. */
const WRITER_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

const MEMORY_STEP = 256 * 1024;
/** Memory of larger batches is not kept. */
const LARGEST_SPARE = 16 * 1024 * 1024;

interface Waiting {
  memory: SharedArrayBuffer;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * The main thread's side of `level-writer.ts`. Batches go there in shared memory: giving away memory of its own, even
 * once, makes the engine check at every access to any typed array whether it is still there.
 */
class LevelWriter {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  /** Memory of a batch that has been written, for the next one. */
  private spare: SharedArrayBuffer | undefined;
  private lastId = 0;
  private ended = false;
  private isClosing = false;
  private readonly exited: Promise<void>;

  constructor(location: string) {
    this.worker = new Worker(threadEntry("./level-writer.js", import.meta.url), {
      workerData: { location },
      resourceLimits: WRITER_MEMORY,
    });
    this.worker.on("message", (answer: WriterAnswer) => this.settle(answer));
    this.worker.on("error", (error) => this.fail(error));
    this.exited = new Promise((resolve) => {
      this.worker.on("exit", () => {
        this.fail(new Error("the writing thread ended"));
        resolve();
      });
    });
  }

  write(batch: readonly Write[]): Promise<void> {
    if (this.ended) return Promise.reject(new Error("the writing thread ended"));
    const id = ++this.lastId;
    const length = packedLength(batch);
    const memory = this.memory(length);
    const packed = new Uint8Array(memory, 0, length);
    packBatch(batch, packed);
    const request: WriterRequest = { id, batch: packed };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { memory, resolve, reject });
      this.worker.ref();
      this.worker.postMessage(request);
    });
  }

  private memory(length: number): SharedArrayBuffer {
    const { spare } = this;
    this.spare = undefined;
    if (spare !== undefined && spare.byteLength >= length) return spare;
    return new SharedArrayBuffer(Math.ceil(length / MEMORY_STEP) * MEMORY_STEP);
  }

  /** Resolves when everything given to {@link write} is on disk and the thread has let go of the database. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.worker.ref();
    this.worker.postMessage("close" satisfies WriterRequest);
    await this.exited;
  }

  private settle(answer: WriterAnswer): void {
    if (answer === "closed") return;
    const waiting = this.waiting.get(answer.id);
    if (waiting !== undefined && waiting.memory.byteLength <= LARGEST_SPARE) this.spare = waiting.memory;
    this.waiting.delete(answer.id);
    if (this.waiting.size === 0 && !this.isClosing) this.worker.unref();
    if (answer.error === undefined) waiting?.resolve();
    else waiting?.reject(new Error(answer.error));
  }

  private fail(error: Error): void {
    this.ended = true;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
