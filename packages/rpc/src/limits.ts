import { timeLimitExceeded } from "./errors.js";

/** When a request must be done (`spec/09 §2.3`). Work that can be long polls {@link check}. */
export class Deadline {
  private constructor(
    private readonly at: number,
    /** Aborted when the client goes away. */
    readonly signal: AbortSignal | undefined,
  ) {}

  /** `milliseconds` from now; 0 is never. */
  static after(milliseconds: number, signal?: AbortSignal): Deadline {
    return new Deadline(milliseconds > 0 ? performance.now() + milliseconds : Number.POSITIVE_INFINITY, signal);
  }

  /** This deadline, or `milliseconds` from now if that is earlier; 0 changes nothing. */
  within(milliseconds: number): Deadline {
    const own = milliseconds > 0 ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;
    return own < this.at ? new Deadline(own, this.signal) : this;
  }

  get passed(): boolean {
    return performance.now() > this.at || this.signal?.aborted === true;
  }

  /** Milliseconds left; infinite without a limit. */
  get remaining(): number {
    return this.at - performance.now();
  }

  /** Throws {@link RpcError} `LIMIT_EXCEEDED` once the time is over or nobody waits for the answer any more. */
  check(): void {
    if (this.passed) throw timeLimitExceeded();
  }
}

const SLICE_MILLISECONDS = 10;

/** Lets other connections have their turn during long work: pauses once a slice of time is used up. */
export class TurnTaker {
  private sliceEnd = performance.now() + SLICE_MILLISECONDS;

  /** Undefined when there is no need to pause. */
  pause(): Promise<void> | undefined {
    if (performance.now() < this.sliceEnd) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.sliceEnd = performance.now() + SLICE_MILLISECONDS;
        resolve();
      });
    });
  }
}
