import { ThreadClient, ThreadError, threadEntry } from "@cambium/primitives";
import { memoryLimitExceeded, RpcError, serverBusy, timeLimitExceeded } from "../errors.js";
import type { Deadline } from "../limits.js";
import { JsonText } from "../requests/json-text.js";
import type { HeavyMethods, HeavyRequest, HeavyThreadData } from "./messages.js";

/** Milliseconds that a cancelled task may continue before its thread is terminated. */
const GRACE = 100;
/** Milliseconds for which all threads must have been busy before another one is started for queued tasks. */
const PATIENCE = 30;
/** Milliseconds after which an idle thread is terminated, unless it is the only one. */
const LONG_IDLE = 60_000;
const YOUNG_HEAP = 32;

const THREAD_ENTRY = threadEntry("./heavy-thread.js", import.meta.url);

type Answer = { value: unknown } | { error: Error };

interface Job {
  request: HeavyRequest;
  deadline: Deadline;
  /** Settles the caller's promise; later calls have no effect. */
  settle(answer: Answer): void;
  settled: boolean;
}

/** Threads for one kind of task, and their queue. A thread runs one task at a time. */
export class HeavyThreadPool {
  private readonly waiting: Job[] = [];
  private readonly threads = new Set<HeavyThread>();
  private closed = false;
  private patienceTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly data: HeavyThreadData,
    private readonly maxThreads: number,
  ) {}

  run(request: Omit<HeavyRequest, "timeout">, deadline: Deadline): Promise<unknown> {
    // Each starting thread will take a task at once.
    const places = this.data.config.heavy.maxWaiting + this.startingThreads();
    if (this.closed || this.waiting.length >= places) return Promise.reject(serverBusy());
    return new Promise((resolve, reject) => {
      const job: Job = {
        request: { ...request, timeout: 0 },
        deadline,
        settled: false,
        settle: (answer) => {
          if (job.settled) return;
          job.settled = true;
          stopWatching();
          if ("value" in answer) resolve(answer.value);
          else reject(answer.error);
        },
      };
      const stopWatching = deadline.onPassed(() => this.giveUp(job));
      this.waiting.push(job);
      this.next();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.patienceTimer);
    for (const job of this.waiting.splice(0)) job.settle({ error: serverBusy() });
    await Promise.all([...this.threads].map((thread) => thread.end(serverBusy())));
  }

  /** Rejects the caller's promise and stops the task when its deadline passes or its client disconnects. */
  private giveUp(job: Job): void {
    job.settle({ error: timeLimitExceeded() });
    const position = this.waiting.indexOf(job);
    if (position >= 0) this.waiting.splice(position, 1);
    for (const thread of this.threads) if (thread.job === job) thread.endSoon();
  }

  private next(): void {
    while (this.waiting.length > 0 && !this.closed) {
      const thread = this.idleThread();
      if (thread !== undefined) thread.start(this.waiting.shift()!);
      else if (!this.addThread()) return;
    }
  }

  private startingThreads(): number {
    return [...this.threads].filter(({ isStarting }) => isStarting).length;
  }

  private idleThread(): HeavyThread | undefined {
    for (const thread of this.threads) if (thread.isIdle) return thread;
    return undefined;
  }

  /**
   * Starts the first thread at once, and further ones when all are busy with long tasks, which must not delay short
   * ones. Returns whether one was started. Tasks keep waiting meanwhile: another thread may be idle before it has
   * started.
   */
  private addThread(): boolean {
    const isEnough = this.threads.size >= this.maxThreads || this.startingThreads() >= this.waiting.length;
    if (isEnough || this.patienceTimer !== undefined) return false;
    const lastStart = Math.max(...[...this.threads].map(({ started }) => started));
    const wait = lastStart + PATIENCE - performance.now();
    if (wait > 0) {
      this.patienceTimer = setTimeout(() => {
        this.patienceTimer = undefined;
        this.next();
      }, Math.ceil(wait));
      return false;
    }
    const thread = new HeavyThread(this.data, {
      onIdle: () => this.next(),
      onLongIdle: () => {
        if (this.threads.size > 1) void thread.end(serverBusy());
      },
      onEnd: (error) => {
        this.threads.delete(thread);
        if (thread.isStarting) this.waiting.shift()?.settle({ error });
        this.next();
      },
    });
    this.threads.add(thread);
    return true;
  }
}

/** A thread that runs one task at a time. */
class HeavyThread {
  job: Job | undefined;
  isStarting = true;
  /** `performance.now()` at the start of the current or last task. */
  started = performance.now();
  private readonly client: ThreadClient<HeavyMethods>;
  private graceTimer: NodeJS.Timeout | undefined;
  private idleTimer: NodeJS.Timeout | undefined;
  private isEnding = false;
  private failure = new Error("a thread for heavy work ended");

  constructor(
    data: HeavyThreadData,
    private readonly listeners: { onIdle(): void; onLongIdle(): void; onEnd(error: Error): void },
  ) {
    this.client = new ThreadClient({
      name: "heavy work",
      entry: THREAD_ENTRY,
      data,
      resourceLimits: {
        maxOldGenerationSizeMb: data.config.heavy.maxHeap,
        maxYoungGenerationSizeMb: YOUNG_HEAP,
      },
      errors: [RpcError],
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

  start(job: Job): void {
    clearTimeout(this.idleTimer);
    this.job = job;
    this.started = performance.now();
    const { remaining } = job.deadline;
    const timeout = Number.isFinite(remaining) ? Math.max(remaining, 1) : 0;
    this.client.call("run", { ...job.request, timeout }).then(
      (text) => this.finish({ value: new JsonText(text) }),
      (error: Error) => (error instanceof ThreadError ? this.fail(error) : this.finish({ error })),
    );
  }

  /** Terminates the thread unless its task ends soon: starting another one costs more than the rest of most tasks. */
  endSoon(): void {
    this.graceTimer ??= setTimeout(() => void this.terminate(), GRACE);
  }

  async end(error: Error): Promise<void> {
    this.job?.settle({ error });
    await this.terminate();
  }

  private async terminate(): Promise<void> {
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
    clearTimeout(this.graceTimer);
    clearTimeout(this.idleTimer);
    this.job?.settle({ error: this.failure });
    this.listeners.onEnd(this.failure);
  }

  private finish(answer: Answer): void {
    clearTimeout(this.graceTimer);
    this.graceTimer = undefined;
    const job = this.job;
    this.job = undefined;
    job?.settle(answer);
    this.becomeIdle();
  }

  private becomeIdle(): void {
    this.idleTimer = setTimeout(() => this.listeners.onLongIdle(), LONG_IDLE).unref();
    this.listeners.onIdle();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY";
}
