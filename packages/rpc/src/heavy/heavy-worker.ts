import { JsonText, RpcError } from "@cambium/api";
import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { isOutOfMemory, ThreadClient, ThreadError, threadEntry } from "@cambium/primitives";
import { StateError } from "@cambium/state";
import { memoryLimitExceeded } from "../requests/refusals.js";
import type { HeavyMethods, HeavyRequest, HeavyThreadData } from "./messages.js";
import { PendingChangesSender } from "./pending-changes.js";

/**
 * Milliseconds that an interrupted task may continue before its thread is terminated: it ends immediately, except in
 * native code.
 */
const GRACE = 3_000;
/** Milliseconds after which a thread reports that it is idle. */
const LONG_IDLE = 60_000;
const YOUNG_HEAP = 32;

const THREAD_ENTRY = threadEntry("./heavy-thread.js", import.meta.url);

export type WorkerData = Omit<HeavyThreadData, "interrupted">;

export type Answer = { value: unknown } | { error: Error } | "interrupted";

export interface WorkerListeners<Job> {
  /** Called when the thread can start a job: it has been opened, or its last job has ended. */
  onIdle(): void;
  onLongIdle(): void;
  /** Called when a job has ended. */
  onAnswer(job: Job, answer: Answer): void;
  /** Called when the thread has ended, after the answer to its job. */
  onEnd(error: Error): void;
}

/** A thread that runs one job at a time. */
export class HeavyWorker<Job extends { readonly request: HeavyRequest }> {
  job: Job | undefined;
  isStarting = true;
  /** `performance.now()` at the start of the current or last job. */
  started = performance.now();
  private readonly interrupted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly client: ThreadClient<HeavyMethods>;
  private readonly pendingChanges = new PendingChangesSender();
  private number = 0;
  private graceTimer: NodeJS.Timeout | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  private isEnding = false;
  private failure = new Error("a thread for heavy work ended");

  constructor(
    data: WorkerData,
    private readonly listeners: WorkerListeners<Job>,
  ) {
    this.client = new ThreadClient({
      name: "heavy work",
      entry: THREAD_ENTRY,
      data: { ...data, interrupted: this.interrupted } satisfies HeavyThreadData,
      resourceLimits: {
        maxOldGenerationSizeMb: data.config.heavy.maxHeap,
        maxYoungGenerationSizeMb: YOUNG_HEAP,
      },
      errors: [RpcError, DatabaseError, ChainError, StateError],
      maxInFlight: 1,
    });
    this.client.opened.then(
      () => this.open(),
      (error: Error) => this.fail(error),
    );
    void this.client.exited.then(() => this.afterEnd());
  }

  get isIdle(): boolean {
    return this.job === undefined && !this.isStarting && !this.isEnding;
  }

  /** Whether the current job has been interrupted, and has not ended yet. */
  get isInterrupted(): boolean {
    return this.graceTimer !== undefined;
  }

  /** `maxNativeGas`: see {@link HeavyTask}. */
  start(job: Job, maxNativeGas: number): void {
    clearTimeout(this.idleTimer);
    this.job = job;
    this.started = performance.now();
    this.client.call("run", { ...this.pendingChanges.reduce(job.request), number: ++this.number, maxNativeGas }).then(
      (text) => this.finish(text === undefined ? "interrupted" : { value: new JsonText(text) }),
      (error: Error) => (error instanceof ThreadError ? this.fail(error) : this.finish({ error })),
    );
  }

  /**
   * Ends the current job. The thread continues with the next one, unless it does not respond: starting another thread
   * is slow.
   */
  interrupt(): void {
    if (this.job === undefined) return;
    Atomics.store(this.interrupted, 0, this.number);
    this.graceTimer ??= setTimeout(() => void this.terminate(), GRACE);
  }

  async terminate(): Promise<void> {
    this.isEnding = true;
    await this.client.terminate();
  }

  private open(): void {
    this.isStarting = false;
    this.becomeIdle();
  }

  /** Handles a thread that ends or could not start. */
  private fail(error: Error): void {
    this.isEnding = true;
    if (isOutOfMemory(error.cause)) this.failure = memoryLimitExceeded();
    else if (!(error instanceof ThreadError && error.code === "WORKER_CLOSED")) this.failure = error;
  }

  private afterEnd(): void {
    const answer = this.isInterrupted ? "interrupted" : { error: this.failure };
    clearTimeout(this.idleTimer);
    this.answer(answer);
    this.listeners.onEnd(this.failure);
  }

  private finish(answer: Answer): void {
    this.answer(answer);
    this.becomeIdle();
  }

  private answer(answer: Answer): void {
    clearTimeout(this.graceTimer);
    this.graceTimer = undefined;
    const { job } = this;
    this.job = undefined;
    if (job !== undefined) this.listeners.onAnswer(job, answer);
  }

  private becomeIdle(): void {
    this.idleTimer = setTimeout(() => this.listeners.onLongIdle(), LONG_IDLE).unref();
    this.listeners.onIdle();
  }
}
