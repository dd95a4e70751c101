import { serverBusy, timeLimitExceeded } from "../errors.js";
import type { Deadline } from "../limits.js";
import { FairQueue } from "./fair-queue.js";
import { FairShares } from "./fair-shares.js";
import { type Answer, HeavyWorker } from "./heavy-worker.js";
import type { HeavyRequest, HeavyThreadData } from "./messages.js";

/** Milliseconds for which all threads must have been busy before another one is started for queued jobs. */
const PATIENCE = 30;
/** Milliseconds after which a job is long. */
const TRIAL = 40;

interface Job {
  /** The client, see `Client.share`. */
  readonly share: string;
  readonly request: HeavyRequest;
  /** Whether it has had its trial, and did not end in it. */
  isLong: boolean;
  settled: boolean;
  /** Settles the caller's promise; later calls have no effect. */
  settle(answer: Exclude<Answer, "interrupted">): void;
}

type Worker = HeavyWorker<Job>;

/**
 * Threads for one kind of job, and their queues. A thread runs one job at a time; the next job is that of the client
 * which has used the threads least.
 *
 * How long a job takes is known only once it has run. Every job therefore starts with a trial: if it takes longer while
 * others wait for theirs, it is interrupted and starts again later, among the long ones. These never occupy all threads,
 * so that short jobs are never behind more than trials.
 */
export class HeavyThreadPool {
  private readonly untried = new FairQueue<Job>();
  private readonly long = new FairQueue<Job>();
  private readonly shares = new FairShares();
  private readonly threads = new Set<Worker>();
  private readonly maxLong: number;
  private closed = false;
  private patienceTimer: NodeJS.Timeout | undefined;
  private trialTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly data: Omit<HeavyThreadData, "interrupted">,
    private readonly maxThreads: number,
  ) {
    this.maxLong = Math.max(maxThreads - 1, 1);
  }

  run(request: HeavyRequest, deadline: Deadline): Promise<unknown> {
    if (this.closed) return Promise.reject(serverBusy());
    return new Promise((resolve, reject) => {
      const job: Job = {
        share: deadline.client.share,
        request,
        isLong: false,
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
      this.untried.add(job);
      this.next();
      this.shed();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.patienceTimer);
    clearTimeout(this.trialTimer);
    for (const job of [...this.untried.clear(), ...this.long.clear()]) job.settle({ error: serverBusy() });
    for (const { job } of this.threads) job?.settle({ error: serverBusy() });
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  /** Rejects the caller's promise and ends the job when its deadline passes or its client disconnects. */
  private giveUp(job: Job): void {
    job.settle({ error: timeLimitExceeded() });
    if (this.untried.delete(job) || this.long.delete(job)) return;
    for (const thread of this.threads) if (thread.job === job) thread.interrupt();
  }

  /** Rejects jobs beyond the limit: the newest of the client with the most queued jobs, or with the most thread time. */
  private shed(): void {
    // Each starting thread will take a job at once.
    const places = this.data.config.heavy.maxWaiting + this.startingThreads();
    while (this.untried.size + this.long.size > places) {
      const client = this.greediest();
      const job = this.untried.newestOf(client) ?? this.long.newestOf(client)!;
      if (!this.untried.delete(job)) this.long.delete(job);
      job.settle({ error: serverBusy() });
    }
  }

  private greediest(): string {
    const { untried, long, shares } = this;
    const queued = (client: string) => untried.countOf(client) + long.countOf(client);
    const isGreedier = (one: string, other: string) =>
      queued(one) - queued(other) || shares.startOf(one) - shares.startOf(other);
    // Among equal clients the last one that came.
    return [...long.clients(), ...untried.clients()].reduce((a, b) => (isGreedier(b, a) >= 0 ? b : a));
  }

  private next(): void {
    if (this.closed) return;
    for (const thread of this.threads) {
      if (!thread.isIdle) continue;
      const job = this.takeJob();
      if (job === undefined) return;
      this.shares.begin(job.share);
      thread.start(job, !job.isLong && this.untried.size > 0);
    }
    if (this.startable() === 0) return;
    this.addThread();
    this.endTrials();
  }

  /** Removes the next job from its queue. */
  private takeJob(): Job | undefined {
    const untried = this.untried.first(this.precedes);
    const long = this.mayStartLong() ? this.long.first(this.precedes) : undefined;
    if (long === undefined || (untried !== undefined && this.precedes(untried.share, long.share) <= 0)) {
      if (untried !== undefined) this.untried.delete(untried);
      return untried;
    }
    this.long.delete(long);
    return long;
  }

  /** First the clients with fewer running jobs, then those that have used less thread time. */
  private readonly precedes = (one: string, other: string): number =>
    this.running(one) - this.running(other) || this.shares.startOf(one) - this.shares.startOf(other);

  private running(client: string): number {
    let count = 0;
    for (const { job } of this.threads) if (job?.share === client) count++;
    return count;
  }

  private mayStartLong(): boolean {
    let count = 0;
    for (const { job } of this.threads) if (job?.isLong) count++;
    return count < this.maxLong;
  }

  /** Number of queued jobs that an idle thread could start. */
  private startable(): number {
    return this.untried.size + (this.mayStartLong() ? this.long.size : 0);
  }

  private startingThreads(): number {
    let count = 0;
    for (const { isStarting } of this.threads) if (isStarting) count++;
    return count;
  }

  /** Ends trials that take too long while others wait for theirs, unless another long job may run. */
  private endTrials(): void {
    clearTimeout(this.trialTimer);
    if (this.untried.size === 0) return;
    const now = performance.now();
    let wait = Number.POSITIVE_INFINITY;
    for (const thread of this.threads) {
      const { job, started } = thread;
      if (job === undefined || job.isLong || thread.isInterrupted) continue;
      const left = started + TRIAL - now;
      if (left > 0) wait = Math.min(wait, left);
      else if (this.mayStartLong()) job.isLong = true;
      else thread.interrupt();
    }
    if (wait < Number.POSITIVE_INFINITY) this.trialTimer = setTimeout(() => this.next(), Math.ceil(wait));
  }

  /**
   * Starts the first thread at once, and further ones when all are busy with long jobs, which must not delay short ones.
   * Jobs keep waiting meanwhile: another thread may be idle before it has started.
   */
  private addThread(): void {
    const isEnough = this.threads.size >= this.maxThreads || this.startingThreads() >= this.startable();
    if (isEnough || this.patienceTimer !== undefined) return;
    const lastStart = Math.max(...[...this.threads].map(({ started }) => started));
    const wait = lastStart + PATIENCE - performance.now();
    if (wait > 0) {
      this.patienceTimer = setTimeout(() => {
        this.patienceTimer = undefined;
        this.next();
      }, Math.ceil(wait));
      return;
    }
    const thread: Worker = new HeavyWorker(this.data, {
      onIdle: () => this.next(),
      onLongIdle: () => {
        if (this.threads.size > 1) void thread.terminate();
      },
      onAnswer: (job, answer) => this.end(job, answer, performance.now() - thread.started),
      onEnd: (error) => {
        this.threads.delete(thread);
        if (thread.isStarting) this.failNext(error);
        this.next();
      },
    });
    this.threads.add(thread);
  }

  private end(job: Job, answer: Answer, time: number): void {
    this.shares.charge(job.share, time);
    if (answer !== "interrupted") job.settle(answer);
    else if (this.closed) job.settle({ error: serverBusy() });
    else if (!job.settled) this.repeat(job);
    if (this.isAtRest()) this.shares.reset();
  }

  /** Queues a job whose trial has ended. */
  private repeat(job: Job): void {
    job.isLong = true;
    this.long.add(job);
    this.shed();
  }

  private isAtRest(): boolean {
    return this.untried.size === 0 && this.long.size === 0 && [...this.threads].every(({ job }) => job === undefined);
  }

  /** A thread could not start. */
  private failNext(error: Error): void {
    const job = this.untried.first(this.precedes);
    if (job === undefined) return;
    this.untried.delete(job);
    job.settle({ error });
  }
}
