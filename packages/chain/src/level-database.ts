import { Worker } from "node:worker_threads";
import type { Database, Write } from "./database.js";
import { ChainError } from "./errors.js";
import { type Level, type LevelDatabaseOptions, openLevel } from "./level-opening.js";
import type { WriterAnswer, WriterRequest } from "./level-writer.js";
import { packBatch } from "./packed-batch.js";
import type { Table } from "./tables.js";
import { threadEntry } from "./thread-entry.js";

/**
 * Opens (or creates) the database in a directory. Throws {@link ChainError} `DATABASE_OPEN`. Several threads of one
 * process may open the same directory; another process is refused.
 */
export async function openLevelDatabase(location: string, options: LevelDatabaseOptions = {}): Promise<Database> {
  try {
    return new LevelDatabase(location, await openLevel(location, options));
  } catch (error) {
    throw new ChainError({ code: "DATABASE_OPEN", location, reason: openingFault(error) }, { cause: error });
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

interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The main thread's side of `level-writer.ts`. */
class LevelWriter {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private ended = false;
  private onEnd: () => void = () => undefined;

  constructor(location: string) {
    this.worker = new Worker(threadEntry("level-writer"), {
      workerData: { location },
      resourceLimits: WRITER_MEMORY,
    });
    this.worker.on("message", (answer: WriterAnswer) => this.settle(answer));
    this.worker.on("error", (error) => this.fail(error));
    this.worker.on("exit", () => this.fail(new Error("the writing thread ended")));
  }

  write(batch: readonly Write[]): Promise<void> {
    if (this.ended) return Promise.reject(new Error("the writing thread ended"));
    const id = ++this.lastId;
    const packed = packBatch(batch);
    const request: WriterRequest = { id, batch: packed };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.ref();
      this.worker.postMessage(request, [packed.buffer as ArrayBuffer]);
    });
  }

  /** Resolves when everything given to {@link write} is on disk and the thread has ended. */
  async close(): Promise<void> {
    if (this.ended) return;
    const end = new Promise<void>((resolve) => (this.onEnd = resolve));
    this.worker.ref();
    this.worker.postMessage("close" satisfies WriterRequest);
    await end;
  }

  private settle(answer: WriterAnswer): void {
    if (answer === "closed") return;
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if (this.waiting.size === 0) this.worker.unref();
    if (answer.error === undefined) waiting?.resolve();
    else waiting?.reject(new Error(answer.error));
  }

  private fail(error: Error): void {
    this.ended = true;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.onEnd();
  }
}
