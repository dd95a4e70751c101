import type { Client } from "@cambium/api";
import type { Gauge } from "@cambium/primitives";
import type { FairShares } from "./fair-shares.js";

/** Milliseconds of a first attempt, enough for most jobs. */
const FIRST_LIMIT = 5;
const FACTOR = 8;
/** Number of attempts after which a job is long. */
export const LONG_ATTEMPTS = 2;

/** The queue's view of a job. */
export interface FairJob {
  readonly client: Client;
  /** Number of attempts that were interrupted because they took too long. */
  attempts: number;
  /** Virtual time when it was queued. */
  since: number;
}

/**
 * Returns the milliseconds for which a job may run while others wait. It is then interrupted, and starts again with a
 * higher limit.
 */
export function timeLimit({ attempts }: FairJob): number {
  return FIRST_LIMIT * FACTOR ** attempts;
}

export function isLong({ attempts }: FairJob): boolean {
  return attempts >= LONG_ATTEMPTS;
}

/**
 * Jobs that wait for a thread. The first one would end first if all clients shared the threads equally and each job
 * took its whole time limit. Short jobs therefore precede long ones, and clients with little use precede those with
 * much.
 */
export class FairQueue<Job extends FairJob> {
  private readonly jobs = new Set<Job>();

  constructor(
    private readonly shares: FairShares,
    /** Gauge of waiting jobs. */
    private readonly length?: Gauge,
  ) {}

  get size(): number {
    return this.jobs.size;
  }

  [Symbol.iterator](): IterableIterator<Job> {
    return this.jobs.values();
  }

  add(job: Job): void {
    job.since = this.shares.now;
    this.jobs.add(job);
    this.length?.add(1);
  }

  /** Returns whether the job was queued. */
  delete(job: Job): boolean {
    const wasQueued = this.jobs.delete(job);
    if (wasQueued) this.length?.add(-1);
    return wasQueued;
  }

  /** Returns the first of the jobs that may start; among equal ones, the one that has waited longest. */
  first(mayStart: (job: Job) => boolean): Job | undefined {
    let first: Job | undefined;
    let earliest = Number.POSITIVE_INFINITY;
    for (const job of this.jobs) {
      const turn = this.turn(job);
      if (turn < earliest && mayStart(job)) [first, earliest] = [job, turn];
    }
    return first;
  }

  /**
   * Returns the job to refuse if there are too many. It is the longest, or newest, job of the client that would have
   * used most if its jobs had run. Tried and untried jobs have half of the places each, so that neither kind displaces
   * the other.
   */
  greediest(): Job | undefined {
    const all = [...this.jobs];
    const untried = all.filter(({ attempts }) => attempts === 0);
    const jobs = untried.length * 2 > all.length ? untried : all.filter(({ attempts }) => attempts > 0);
    const uses = new Map<string, number>();
    for (const job of jobs) {
      const { share } = job.client;
      uses.set(share, (uses.get(share) ?? this.shares.nextOf(job.client)) + timeLimit(job));
    }
    const use = ({ client }: Job) => uses.get(client.share)!;
    const isGreedier = (one: Job, other: Job) => (use(one) - use(other) || one.attempts - other.attempts) >= 0;
    return jobs.reduce<Job | undefined>((a, b) => (a === undefined || isGreedier(b, a) ? b : a), undefined);
  }

  /** Removes and returns all jobs. */
  clear(): Job[] {
    const jobs = [...this.jobs];
    this.jobs.clear();
    this.length?.add(-jobs.length);
    return jobs;
  }

  /** Returns the virtual time at which a job would end. */
  private turn(job: Job): number {
    return this.shares.nextOf(job.client, job.since) + timeLimit(job);
  }
}
