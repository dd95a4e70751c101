import { timeLimitExceeded } from "./errors.js";
import { type Client, OWN_CLIENT, type Presence } from "./requests/client.js";

/** Longest delay of a timer, in milliseconds. */
const MAX_DELAY = 2 ** 31 - 1;

/** Limits a task. */
export interface WorkLimit {
  /** Throws {@link RpcError} `LIMIT_EXCEEDED` if the task must end. */
  check(): void;
}

/** Deadline of a request (`spec/09 §2.3`), and its client. Long-running work calls {@link check} regularly. */
export class Deadline implements WorkLimit {
  private constructor(
    private readonly at: number,
    private readonly presence: Presence | undefined,
    readonly client: Client,
  ) {}

  /** Deadline `milliseconds` from now; 0: no deadline. */
  static after(milliseconds: number, presence?: Presence, client: Client = OWN_CLIENT): Deadline {
    const at = milliseconds > 0 ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;
    return new Deadline(at, presence, client);
  }

  /** This deadline, or `milliseconds` from now if that is earlier; 0 returns this deadline. */
  within(milliseconds: number): Deadline {
    const own = milliseconds > 0 ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;
    return own < this.at ? new Deadline(own, this.presence, this.client) : this;
  }

  /** The same without a time limit: only the end of the connection counts. */
  untimed(): Deadline {
    return new Deadline(Number.POSITIVE_INFINITY, this.presence, this.client);
  }

  get passed(): boolean {
    return this.presence?.isGone === true || performance.now() > this.at;
  }

  /** Milliseconds left; infinite without a deadline. */
  get remaining(): number {
    return this.at - performance.now();
  }

  /** Throws {@link RpcError} `LIMIT_EXCEEDED` if the deadline has passed or the client has disconnected. */
  check(): void {
    if (this.passed) throw timeLimitExceeded();
  }

  /** Calls `action` when this passes or the client disconnects, until the returned function is called. */
  onPassed(action: () => void): () => void {
    const { remaining } = this;
    const signal = this.presence?.signal;
    const timer = remaining < MAX_DELAY ? setTimeout(action, Math.max(remaining, 0)) : undefined;
    if (signal?.aborted === true) queueMicrotask(action);
    signal?.addEventListener("abort", action, { once: true });
    return () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", action);
    };
  }

  /** The value of a promise. Rejects with {@link RpcError} `LIMIT_EXCEEDED` when this passes first. */
  async limit<T>(work: Promise<T>): Promise<T> {
    let stopWatching = () => {};
    const passed = new Promise<never>((_, reject) => {
      stopWatching = this.onPassed(() => reject(timeLimitExceeded()));
    });
    return Promise.race([work, passed]).finally(stopWatching);
  }
}

const SLICE_MILLISECONDS = 10;

/** Long work rests only if a light request began within this time, in milliseconds. */
const LIGHT_MEMORY = 1_000;
/** The longest rest, in milliseconds. */
const MAX_REST = 50;

/** Long work that waits for its next turn. */
const waiting: (() => void)[] = [];
/** Whether a turn is scheduled, running, or followed by a rest. */
let isScheduled = false;
let lastLight = Number.NEGATIVE_INFINITY;

/**
 * Resolves in a later turn of the event loop. Each turn continues only one of those that wait, and while there are
 * light requests, long work rests for as long as its last turn took: a light request needs several turns from its
 * connection to its response, and waits for one piece of long work instead of one in each of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runNext);
  });
}

/** Notes that a light request begins. */
export function noteLightRequest(): void {
  lastLight = performance.now();
}

function runNext(): void {
  const start = performance.now();
  waiting.shift()!();
  setImmediate(() => rest(performance.now() - start));
}

function rest(milliseconds: number): void {
  const isShared = performance.now() - lastLight < LIGHT_MEMORY;
  if (isShared && milliseconds >= 1) setTimeout(resume, Math.min(milliseconds, MAX_REST));
  else resume();
}

function resume(): void {
  if (waiting.length > 0) setImmediate(runNext);
  else isScheduled = false;
}

/** Whether long work waits, so that further work should wait behind it. */
export function isBusy(): boolean {
  return waiting.length > 0;
}

/** Yields to the event loop during long work, whenever a time slice is used up. */
export class TurnTaker {
  private sliceEnd: number;

  /** `firstSlice` in milliseconds. */
  constructor(firstSlice = SLICE_MILLISECONDS) {
    this.sliceEnd = performance.now() + firstSlice;
  }

  /** A promise to await, or undefined if there is no need to yield yet. */
  pause(): Promise<void> | undefined {
    if (performance.now() < this.sliceEnd) return undefined;
    return nextTurn().then(() => {
      this.sliceEnd = performance.now() + SLICE_MILLISECONDS;
    });
  }
}
