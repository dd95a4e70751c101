import type { Clock } from "@cambium/primitives";
import { SyncError } from "../errors.js";

export interface Bounds {
  clock: Clock;
  /** Ends everything. */
  signal: AbortSignal;
  /** For the error. */
  what: string;
}

/**
 * Runs `work` for at most `milliseconds`, whatever it does: the signal it is given aborts then, and the caller goes on.
 * Rejects with {@link SyncError} `TIMED_OUT`, the reason of `bounds.signal`, or what `work` rejects with.
 */
export async function bounded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  milliseconds: number,
  bounds: Bounds,
): Promise<T> {
  const scope = new Scope(bounds);
  try {
    return await scope.within(work(scope.signal), milliseconds);
  } finally {
    scope.close();
  }
}

/**
 * The items of an answer: at most `betweenItems` milliseconds for each, `whole` for all. Abandons the answer when the
 * caller stops reading. Rejects as {@link bounded} does.
 */
export async function* boundedItems<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  limits: { firstItem: number; betweenItems: number; whole: number },
  bounds: Bounds,
): AsyncGenerator<T> {
  const scope = new Scope(bounds);
  const end = bounds.clock.now() + limits.whole;
  const items = open(scope.signal)[Symbol.asyncIterator]();
  try {
    for (let limit = limits.firstItem; ; limit = limits.betweenItems) {
      const left = end - bounds.clock.now();
      if (left <= 0) throw new SyncError({ code: "TIMED_OUT", what: bounds.what });
      const next = await scope.within(items.next(), Math.min(limit, left));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    scope.close();
    // Not waited for: an answer that hangs would hang here too.
    items.return?.(undefined).catch(() => undefined);
  }
}

/** A signal that ends with its parent's, with a time-out, or when closed. */
class Scope {
  private readonly controller = new AbortController();
  private readonly onAbort = () => this.controller.abort(this.bounds.signal.reason);

  constructor(private readonly bounds: Bounds) {
    if (bounds.signal.aborted) this.onAbort();
    else bounds.signal.addEventListener("abort", this.onAbort);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    const { clock, what } = this.bounds;
    const { signal } = this.controller;
    const cancel = clock.after(milliseconds, () => this.controller.abort(new SyncError({ code: "TIMED_OUT", what })));
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort);
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      cancel();
      if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
    }
  }

  close(): void {
    this.bounds.signal.removeEventListener("abort", this.onAbort);
    this.controller.abort(new SyncError({ code: "STOPPED" }));
  }
}
