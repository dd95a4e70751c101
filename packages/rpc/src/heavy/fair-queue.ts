import type { Client } from "@cambium/api";
import type { Gauge } from "@cambium/primitives";
import type { FairShares } from "./fair-shares.js";

/** Milliseconds of a first attempt: most jobs take less. */
const FIRST_LIMIT = 5;
const FACTOR = 8;
/** Attempts after which a job is long. */
export const LONG_ATTEMPTS = 2;

/** A job as the queue sees it. */
export interface FairJob {
  readonly client: Client;
  /** Attempts that were interrupted because they took too long. */
  attempts: number;
  /** Virtual time when it was queued. */
  since: number;
}

/**
 * Milliseconds for which a job may run while others wait; then it is interrupted, and starts again with a higher limit.
 */
export function timeLimit({ attempts }: FairJob): number {
  return FIRST_LIMIT * FACTOR ** attempts;
}

export function isLong({ attempts }: FairJob): boolean {
  return attempts >= LONG_ATTEMPTS;
}

/**
 * Jobs that wait for a thread. The first is the one which would end first if all clients shared the threads equally and
 * each job took its whole time limit: short jobs precede long ones, and clients that used little precede those that
 * used much.
 */
export class FairQueue<Job extends FairJob> {
  private readonly jobs = new Set<Job>();

  constructor(
    private readonly shares: FairShares,
    /** Counts the jobs that wait. */
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

  /** The first of the jobs that may start; among equal ones, that which has waited longest. */
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
   * The job to refuse if there are too many: the longest, or newest, of the client that would have used most if its
   * jobs had run. Jobs that were tried and those that were not have half of the places each, so that neither drive out
   * the others.
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

  /** Virtual time at which a job would end. */
  private turn(job: Job): number {
    return this.shares.nextOf(job.client, job.since) + timeLimit(job);
  }
}
