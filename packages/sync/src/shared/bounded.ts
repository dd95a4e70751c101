import { setMaxListeners } from "node:events";
import type { Clock } from "@cambium/primitives";
import { SyncError } from "../errors.js";

export interface Bounds {
  clock: Clock;
  /** Signal that aborts the work. */
  signal: AbortSignal;
  /** Name of the work for the error. */
  what: string;
}

/**
 * Runs `work` for at most `milliseconds`. Then its signal aborts and the caller continues, even if `work` does not end.
 * Rejects with {@link SyncError} `TIMED_OUT`, the reason of `bounds.signal`, or the error of `work`.
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
 * Yields the items of an answer: at most `betweenItems` milliseconds for each and `whole` for all. Abandons the answer
 * when the caller stops reading. Rejects like {@link bounded}.
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
    // Not awaited, because an answer that hangs would block this call too.
    items.return?.(undefined).catch(() => undefined);
  }
}

/** A signal that aborts with its parent's, after a time limit, or when it is closed. */
class Scope {
  private readonly controller = new AbortController();
  private readonly onAbort = () => this.controller.abort(this.bounds.signal.reason);

  constructor(private readonly bounds: Bounds) {
    // Listeners: one for each request in progress, of any number of peers.
    setMaxListeners(0, bounds.signal);
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
