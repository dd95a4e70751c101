import { type MessagePort, type ResourceLimits, Worker } from "node:worker_threads";
import { CambiumError } from "../errors.js";
import { callsOf } from "../measurements/thread-measurements.js";
import { withSection } from "../measurements/thread-sections.js";
import {
  type ErrorClass,
  type FromThread,
  revivedError,
  type ThreadMethods,
  type ToThread,
} from "./thread-messages.js";

/** Reasons why a call to a thread failed. */
export class ThreadError extends CambiumError<
  /** The thread ended unexpectedly; `cause` is the error that ended it. */
  | { code: "WORKER_FAILED"; thread: string; reason: string }
  | { code: "WORKER_CLOSED"; thread: string }
  /** The limit of pending calls is reached. */
  | { code: "WORKER_BUSY"; thread: string; limit: number }
> {}

export interface ThreadOptions<Event> {
  /** Name of the thread in errors. */
  name: string;
  /** Entry module as resolved by `threadEntry`; it must call `serveThread`. */
  entry: URL;
  /** The thread's `workerData`. */
  data?: unknown;
  /** Ports in `data`, which move to the thread. */
  ports?: readonly MessagePort[];
  resourceLimits?: ResourceLimits;
  /** Error classes that are restored with their details; other errors arrive as `Error`. */
  errors?: readonly ErrorClass[];
  /** Maximum number of pending calls; further ones are rejected. */
  maxInFlight: number;
  onEvent?: (event: Event) => void;
  /** Called once if the thread ends unexpectedly. */
  onFailure?: (error: ThreadError) => void;
}

interface Call {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

/**
 * Runs a worker thread and calls its methods; answers may arrive in any order. `Methods` are those that its entry
 * serves. An idle thread does not keep the process alive. If the thread fails, all pending calls are rejected.
 */
export class ThreadClient<Methods extends ThreadMethods<Methods>, Event = never> {
  /** Resolves when the thread is ready; calls may be made before. Rejects with the error that prevented its start. */
  readonly opened: Promise<void>;
  /** Resolves when the thread has ended for any reason. */
  readonly exited: Promise<void>;
  private readonly worker: Worker;
  private readonly calls = new Map<number, Call>();
  private lastId = 0;
  private state: "running" | "closing" | "ended" = "running";
  /** Set once the thread failed; every further call rejects with it. */
  private failure: Error | undefined;
  private readonly opening: Call;
  /** Calls to all threads with this name. */
  private readonly measuredCalls: { add(amount: number): void };

  constructor(private readonly options: ThreadOptions<Event>) {
    const { entry, data, ports = [], resourceLimits } = options;
    const { promise, ...opening } = withResolvers();
    this.opened = promise;
    this.opening = opening;
    // An unhandled rejection of this promise is harmless, because calls are rejected with the same error.
    promise.catch(() => undefined);
    this.measuredCalls = callsOf(options.name);
    const { result, release } = withSection(
      options.name,
      () => new Worker(entry, { workerData: data, transferList: [...ports], resourceLimits }),
    );
    this.worker = result;
    this.worker.on("message", (message: FromThread) => this.receive(message));
    this.worker.on("error", (error: Error) => this.fail(reasonOf(error), error));
    this.worker.on("messageerror", (error) => this.fail(error.message, error));
    this.exited = new Promise((resolve) => {
      this.worker.on("exit", (status) => {
        if (this.state === "running" || this.calls.size > 0) this.fail(`ended with status ${status}`);
        this.state = "ended";
        release();
        resolve();
      });
    });
  }

  /**
   * Calls a method and resolves to its result. Bytes are copied: the view should have its own memory, because the whole
   * underlying buffer is copied. Rejects with the error that the method threw, or with {@link ThreadError}.
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
      this.measuredCalls.add(1);
      this.worker.ref();
    });
  }

  /** Waits until the thread has answered all pending calls, closed its resources and ended. */
  async close(): Promise<void> {
    if (this.state === "running") {
      this.state = "closing";
      this.worker.ref();
      this.send({ kind: "close" });
    }
    await this.exited;
  }

  /** Ends the thread immediately. Rejects all pending calls with {@link ThreadError} `WORKER_CLOSED`. */
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
    if (this.calls.delete(id)) this.measuredCalls.add(-1);
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
    this.measuredCalls.add(-this.calls.size);
    this.calls.clear();
  }
}

/** Whether an error means that a thread has used up its memory. */
export function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** Returns the reason. A thread without memory ends at any point, so its stack says nothing. */
function reasonOf(error: Error): string {
  return isOutOfMemory(error) ? error.message : (error.stack ?? error.message);
}

function withResolvers(): Call & { promise: Promise<void> } {
  let call: Call | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    call = { resolve, reject };
  });
  return { ...call!, promise };
}
