import { type ResourceLimits, Worker } from "node:worker_threads";
import { CambiumError } from "../errors.js";
import {
  type ErrorClass,
  type FromThread,
  revivedError,
  type ThreadMethods,
  type ToThread,
} from "./thread-messages.js";

/** Why a thread does not answer. */
export class ThreadError extends CambiumError<
  /** It ended by itself; the error that it ended with is the cause. */
  | { code: "WORKER_FAILED"; thread: string; reason: string }
  | { code: "WORKER_CLOSED"; thread: string }
  /** So many calls are waiting for their answers. */
  | { code: "WORKER_BUSY"; thread: string; limit: number }
> {}

export interface ThreadOptions<Event> {
  /** Names the thread in errors. */
  name: string;
  /** As `threadEntry` finds it; a module that calls `serveThread`. */
  entry: URL;
  /** Its `workerData`. */
  data?: unknown;
  resourceLimits?: ResourceLimits;
  /** Classes of errors that keep their class and details on their way here; others arrive as `Error`. */
  errors?: readonly ErrorClass[];
  /** Calls without an answer above which further ones are rejected. */
  maxInFlight: number;
  onEvent?: (event: Event) => void;
  /** Called once, when the thread has ended by itself. */
  onFailure?: (error: ThreadError) => void;
}

interface Call {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/**
 * A worker thread and calls to it, which it may answer in any order. `Methods` are those that its entry serves. An idle
 * thread does not keep the process alive. When the thread fails, everything in flight is rejected.
 */
export class ThreadClient<Methods extends ThreadMethods<Methods>, Event = never> {
  /** Resolves when the thread answers calls, which may be made before. Rejects with the error that it could not open with. */
  readonly opened: Promise<void>;
  /** Resolves when the thread has ended, however it did. */
  readonly exited: Promise<void>;
  private readonly worker: Worker;
  private readonly calls = new Map<number, Call>();
  private lastId = 0;
  private state: "running" | "closing" | "ended" = "running";
  /** Rejects every further call. */
  private failure: Error | undefined;
  private readonly opening: Call;

  constructor(private readonly options: ThreadOptions<Event>) {
    const { entry, data, resourceLimits } = options;
    const { promise, ...opening } = withResolvers();
    this.opened = promise;
    this.opening = opening;
    // It is no error that no caller waits for the opening: calls are rejected with the same error.
    promise.catch(() => undefined);
    this.worker = new Worker(entry, { workerData: data, resourceLimits });
    this.worker.on("message", (message: FromThread) => this.receive(message));
    this.worker.on("error", (error: Error) => this.fail(error.stack ?? error.message, error));
    this.worker.on("messageerror", (error) => this.fail(error.message, error));
    this.exited = new Promise((resolve) => {
      this.worker.on("exit", (status) => {
        if (this.state === "running" || this.calls.size > 0) this.fail(`ended with status ${status}`);
        this.state = "ended";
        resolve();
      });
    });
  }

  /**
   * The answer of a method. Bytes are copied; a view should have memory of its own, since all that it looks into is. Rejects
   * with what the method threw, or with {@link ThreadError}.
   */
  call<Name extends keyof Methods & string>(
    name: Name,
    argument: Parameters<Methods[Name]>[0],
  ): Promise<Awaited<ReturnType<Methods[Name]>>> {
    const refusal = this.refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      this.send({ kind: "call", id, name, argument });
      this.calls.set(id, { resolve, reject });
      this.worker.ref();
    });
  }

  /** Lets the thread answer everything in flight and close what it has open, and waits for its end. */
  async close(): Promise<void> {
    if (this.state === "running") {
      this.state = "closing";
      this.worker.ref();
      this.send({ kind: "close" });
    }
    await this.exited;
  }

  /** Ends the thread at once. Rejects everything in flight with `WORKER_CLOSED`. */
  async terminate(): Promise<void> {
    if (this.state !== "ended") this.state = "closing";
    this.rejectAll(this.closedError());
    await this.worker.terminate();
  }

  private refusal(): Error | undefined {
    const { name: thread, maxInFlight: limit } = this.options;
    if (this.failure !== undefined) return this.failure;
    if (this.state !== "running") return this.closedError();
    return this.calls.size >= limit ? new ThreadError({ code: "WORKER_BUSY", thread, limit }) : undefined;
  }

  private closedError(): ThreadError {
    return new ThreadError({ code: "WORKER_CLOSED", thread: this.options.name });
  }

  private send(message: ToThread): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromThread): void {
    const { errors = [], onEvent } = this.options;
    switch (message.kind) {
      case "ready":
        this.opening.resolve(undefined as never);
        this.restWhenIdle();
        break;
      case "refused":
        this.state = "closing";
        this.failure = revivedError(message.error, errors);
        this.rejectAll(this.failure);
        break;
      case "event":
        onEvent?.(message.event as Event);
        break;
      case "deliver":
        this.send({ kind: "delivered", id: message.id });
        break;
      case "answer":
        this.take(message.id)?.resolve(message.value as never);
        break;
      case "failed":
        this.take(message.id)?.reject(revivedError(message.error, errors));
    }
  }

  private take(id: number): Call | undefined {
    const call = this.calls.get(id);
    this.calls.delete(id);
    this.restWhenIdle();
    return call;
  }

  private restWhenIdle(): void {
    if (this.calls.size === 0 && this.state === "running") this.worker.unref();
  }

  private fail(reason: string, cause?: Error): void {
    if (this.failure !== undefined) return;
    const error = new ThreadError({ code: "WORKER_FAILED", thread: this.options.name, reason }, { cause });
    this.failure = error;
    this.rejectAll(error);
    this.options.onFailure?.(error);
  }

  private rejectAll(error: Error): void {
    this.opening.reject(error);
    for (const { reject } of this.calls.values()) reject(error);
    this.calls.clear();
  }
}

function withResolvers(): Call & { promise: Promise<void> } {
  let call: Call | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    call = { resolve, reject };
  });
  return { ...call!, promise };
}
