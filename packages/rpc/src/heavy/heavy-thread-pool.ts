import { type Deadline, serverBusy, timeLimitExceeded } from "@cambium/api";
import { DURATIONS, gauge, histogram } from "@cambium/primitives";
import { type FairJob, FairQueue, isLong, LONG_ATTEMPTS, timeLimit } from "./fair-queue.js";
import { FairShares } from "./fair-shares.js";
import { type Answer, HeavyWorker, type WorkerData, type WorkerListeners } from "./heavy-worker.js";
import type { HeavyRequest } from "./messages.js";

const WAITING_JOBS = gauge("cambium_rpc_heavy_waiting", "Heavy JSON-RPC requests that wait for a thread");
const JOB_TIME = histogram("cambium_rpc_heavy_seconds", "Time that a heavy request took in its thread", DURATIONS);
/** Milliseconds for which all threads must have been busy before another one is started for queued jobs. */
const PATIENCE = 30;
/**
 * Amount of gas for which a native call takes up to a millisecond on a slow machine: native code cannot be interrupted.
 */
export const NATIVE_GAS = 7_500;

export interface Job extends FairJob {
  readonly request: HeavyRequest;
  settled: boolean;
  /** Settles the caller's promise; later calls have no effect. */
  settle(answer: Exclude<Answer, "interrupted">): void;
}

type Worker = Pick<HeavyWorker<Job>, keyof HeavyWorker<Job>>;

/** Threads and clock, replaced in tests. */
export interface PoolParts {
  createWorker(data: WorkerData, listeners: WorkerListeners<Job>): Worker;
  /** Returns the current time in milliseconds. */
  now(): number;
}

const PARTS: PoolParts = {
  createWorker: (data, listeners) => new HeavyWorker(data, listeners),
  now: () => performance.now(),
};

/**
 * Threads for one kind of job, and their queue. A thread runs one job at a time.
 *
 * The duration of a job is known only once it has run. Every job therefore starts with a low time limit. If it takes
 * longer while others wait, it is interrupted and starts again later, with a higher limit. Jobs with a high limit never
 * occupy all threads, so that short jobs wait only for short ones.
 */
export class HeavyThreadPool {
  private readonly shares = new FairShares();
  private readonly queue = new FairQueue<Job>(this.shares, WAITING_JOBS);
  private readonly threads = new Set<Worker>();
  private readonly maxLong: number;
  private closed = false;
  private patienceTimer: NodeJS.Timeout | undefined;
  private limitTimer: NodeJS.Timeout | undefined;
  /** Time since when no job runs or waits; undefined while one does. */
  private restedSince: number | undefined;

  constructor(
    private readonly data: WorkerData,
    private readonly maxThreads: number,
    private readonly parts = PARTS,
  ) {
    this.maxLong = Math.max(maxThreads - 1, 1);
  }

  run(request: HeavyRequest, deadline: Deadline): Promise<unknown> {
    if (this.closed) return Promise.reject(serverBusy());
    this.endRest();
    return new Promise((resolve, reject) => {
      const job: Job = {
        client: deadline.client,
        request,
        attempts: 0,
        since: 0,
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
      this.queue.add(job);
      this.next();
      this.shed();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.patienceTimer);
    clearTimeout(this.limitTimer);
    for (const job of this.queue.clear()) job.settle({ error: serverBusy() });
    for (const { job } of this.threads) job?.settle({ error: serverBusy() });
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  /** Rejects the caller's promise and ends the job when its deadline passes or its client disconnects. */
  private giveUp(job: Job): void {
    job.settle({ error: timeLimitExceeded() });
    if (this.queue.delete(job)) return;
    for (const thread of this.threads) if (thread.job === job) thread.interrupt();
  }

  /** Rejects jobs beyond the limit. */
  private shed(): void {
    // Each starting thread will take a job immediately.
    const places = this.data.config.heavy.maxWaiting + this.startingThreads();
    while (this.queue.size > places) {
      const job = this.queue.greediest()!;
      this.queue.delete(job);
      job.settle({ error: serverBusy() });
    }
  }

  private next(): void {
    if (this.closed) return;
    for (const thread of this.threads) {
      if (!thread.isIdle) continue;
      const job = this.queue.first(this.mayStart);
      if (job === undefined) break;
      this.queue.delete(job);
      const isAlone = isLong(job) || this.queue.size === 0;
      thread.start(job, isAlone ? Number.POSITIVE_INFINITY : timeLimit(job) * NATIVE_GAS);
    }
    if (this.startable() > 0) this.addThread();
    this.enforceLimits();
  }

  private readonly mayStart = (job: Job): boolean => !isLong(job) || this.mayStartLong();

  private mayStartLong(): boolean {
    let count = 0;
    for (const { job } of this.threads) if (job !== undefined && isLong(job)) count++;
    return count < this.maxLong;
  }

  /** Number of queued jobs that an idle thread could start. */
  private startable(): number {
    if (this.mayStartLong()) return this.queue.size;
    let count = 0;
    for (const job of this.queue) if (!isLong(job)) count++;
    return count;
  }

  private startingThreads(): number {
    let count = 0;
    for (const { isStarting } of this.threads) if (isStarting) count++;
    return count;
  }

  /** Interrupts jobs beyond their time limits while others wait for their threads. */
  private enforceLimits(): void {
    clearTimeout(this.limitTimer);
    const now = this.parts.now();
    let wait = Number.POSITIVE_INFINITY;
    for (const thread of this.threads) {
      const { job, started } = thread;
      if (job === undefined || thread.isInterrupted || !this.isWaitedFor(job)) continue;
      if (now >= started + timeLimit(job) && this.mayBecomeLong(job)) job.attempts = LONG_ATTEMPTS;
      const left = started + timeLimit(job) - now;
      if (left > 0) wait = Math.min(wait, left);
      else thread.interrupt();
    }
    if (wait < Number.POSITIVE_INFINITY) this.limitTimer = setTimeout(() => this.next(), Math.ceil(wait));
  }

  /** Whether a queued job could replace a running one. */
  private isWaitedFor(running: Job): boolean {
    return isLong(running) ? this.queue.size > 0 : this.startable() > 0;
  }

  /** Whether a job may continue beyond a low limit, since a thread is left for others. */
  private mayBecomeLong(job: Job): boolean {
    return !isLong(job) && this.maxThreads > 1 && this.mayStartLong();
  }

  /**
   * Starts the first thread immediately, and further ones when all are busy with long jobs, which must not delay short
   * ones. Jobs keep waiting during the start: another thread may become idle first.
   */
  private addThread(): void {
    const isEnough = this.threads.size >= this.maxThreads || this.startingThreads() >= this.startable();
    if (isEnough || this.patienceTimer !== undefined) return;
    let lastStart = Number.NEGATIVE_INFINITY;
    for (const { started } of this.threads) lastStart = Math.max(lastStart, started);
    const wait = lastStart + PATIENCE - this.parts.now();
    if (wait > 0) {
      this.patienceTimer = setTimeout(() => {
        this.patienceTimer = undefined;
        this.next();
      }, Math.ceil(wait));
      return;
    }
    const thread = this.parts.createWorker(this.data, {
      onIdle: () => this.next(),
      onLongIdle: () => {
        if (this.threads.size > 1) void thread.terminate();
      },
      onAnswer: (job, answer) => this.end(job, answer, this.parts.now() - thread.started),
      onEnd: (error) => {
        this.threads.delete(thread);
        if (thread.isStarting) this.failNext(error);
        this.next();
      },
    });
    this.threads.add(thread);
  }

  private end(job: Job, answer: Answer, time: number): void {
    JOB_TIME.observe(time / 1_000);
    this.shares.charge(job.client, time, job.attempts === 0 && answer !== "interrupted");
    this.shares.pass(time / this.competitors(job));
    if (answer !== "interrupted") job.settle(answer);
    else if (this.closed) job.settle({ error: serverBusy() });
    else if (!job.settled) this.repeat(job);
    if (this.isAtRest()) this.restedSince = this.parts.now();
  }

  /** Number of clients whose jobs run or wait. */
  private competitors(ended: Job): number {
    const clients = new Set([ended.client.share]);
    for (const { client } of this.queue) clients.add(client.share);
    for (const { job } of this.threads) if (job !== undefined) clients.add(job.client.share);
    return clients.size;
  }

  /**
   * Queues a job that was interrupted because it took too long. It needs no free place: its thread takes a job from the
   * queue.
   */
  private repeat(job: Job): void {
    job.attempts++;
    this.queue.add(job);
  }

  private isAtRest(): boolean {
    return this.queue.size === 0 && [...this.threads].every(({ job }) => job === undefined);
  }

  /** Ends a time of rest, in which no job competed. */
  private endRest(): void {
    if (this.restedSince !== undefined) this.shares.pass(this.parts.now() - this.restedSince);
    this.restedSince = undefined;
  }

  /** Rejects the next job, because a thread could not start. */
  private failNext(error: Error): void {
    const job = this.queue.first(() => true);
    if (job === undefined) return;
    this.queue.delete(job);
    job.settle({ error });
  }
}
