import { Worker } from "node:worker_threads";
import { DatabaseError } from "@cambium/database";
import { threadEntry } from "@cambium/primitives";
import { ChainError } from "../errors.js";
import type { ImportResult } from "../interface.js";
import {
  type Announcement,
  errorOf,
  type ImportMessage,
  type ImportRequest,
  type ImportThreadData,
} from "./import-thread-messages.js";

/**
 * Megabytes. Execution makes much that does not live long: with room for more of it at a time, less of it is alive when
 * the room is used up, and has to be moved.
 */
const YOUNG_GENERATION = 48;

/** Something that the thread is to answer. */
type Task =
  | { kind: "import"; encoded: Uint8Array; senders?: Uint8Array }
  | { kind: "rewind" | "remember-invalid"; hash: Uint8Array };

interface Waiting<T> {
  resolve: (answer: T) => void;
  reject: (error: Error) => void;
}

/** This thread's side of `import-thread-entry.ts`: sends what is to be done and tells the answers. */
export class ImportThreadLink {
  /** Told of events before the answers to what caused them. */
  onEvent: (event: Announcement) => void = () => undefined;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, Waiting<ImportResult | undefined>>();
  private lastId = 0;
  private opening: Waiting<void> | undefined;
  private isClosing = false;
  private failure: ChainError | DatabaseError | undefined;
  private readonly ended: Promise<void>;

  constructor(
    data: ImportThreadData,
    /** Told once, when the thread can do no more: it ended by itself, or it cannot write. */
    private readonly onFailure: (error: ChainError | DatabaseError) => void,
  ) {
    this.worker = new Worker(threadEntry("./import-thread-entry.js", import.meta.url), {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
    });
    this.worker.on("message", (message: ImportMessage) => this.take(message));
    this.worker.on("error", (error) => this.stopped(error.stack ?? error.message));
    this.ended = new Promise((resolve) => {
      this.worker.on("exit", (code) => {
        if (!this.isClosing || this.waiting.size > 0) this.stopped(`the import thread ended with status ${code}`);
        resolve();
      });
    });
  }

  /** Resolves when the thread has opened its chain. Rejects with what `openChain` or `openLevelDatabase` throw. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.opening = { resolve, reject };
    });
  }

  /** Bytes are copied. Answers to imports come with a result. Rejects with {@link ChainError} or {@link DatabaseError}. */
  run(task: Task): Promise<ImportResult | undefined> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.ref();
      this.send({ ...task, id });
    });
  }

  private send(request: ImportRequest): void {
    this.worker.postMessage(request);
  }

  /** Lets the thread finish what it has been given and close its database. */
  async close(): Promise<void> {
    if (!this.isClosing) {
      this.isClosing = true;
      this.worker.ref();
      this.send({ kind: "close" });
    }
    await this.ended;
  }

  private take(message: ImportMessage): void {
    switch (message.kind) {
      case "ready":
        this.worker.unref();
        this.opening?.resolve();
        break;
      case "refused":
        this.isClosing = true;
        this.opening?.reject(errorOf(message.failure));
        break;
      case "event":
        this.onEvent(message.event);
        break;
      case "deleting":
        this.send({ kind: "heard" });
        break;
      case "result":
        this.settle(message.id, ({ resolve }) => resolve(message.result));
        break;
      case "done":
        this.settle(message.id, ({ resolve }) => resolve(undefined));
        break;
      case "failed":
        this.failed(message.id, errorOf(message.failure));
    }
  }

  private failed(id: number, error: Error): void {
    this.settle(id, ({ reject }) => reject(error));
    if (isFinal(error)) this.fail(error);
  }

  private settle(id: number, how: (waiting: Waiting<ImportResult | undefined>) => void): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (this.waiting.size === 0 && !this.isClosing) this.worker.unref();
    if (waiting !== undefined) how(waiting);
  }

  private stopped(reason: string): void {
    const error = new ChainError({ code: "WORKER_FAILED", reason });
    this.opening?.reject(error);
    this.fail(error);
    for (const { reject } of this.waiting.values()) reject(this.failure!);
    this.waiting.clear();
  }

  private fail(error: ChainError | DatabaseError): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    this.onFailure(error);
  }
}

/** Whether nothing more can be imported after this error. */
function isFinal(error: Error): error is ChainError | DatabaseError {
  return error instanceof DatabaseError || (error instanceof ChainError && error.code === "WORKER_FAILED");
}
