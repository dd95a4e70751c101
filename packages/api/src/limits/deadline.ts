import { timeLimitExceeded } from "../errors.js";
import type { Client } from "./client.js";
import { OWN_CLIENT, type Presence } from "./client.js";

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
