/** Timers that tests can replace. Both functions return a function that cancels the timer. */
export interface Timers {
  /** Runs `action` once. */
  after(milliseconds: number, action: () => void): () => void;
  every(milliseconds: number, action: () => void): () => void;
}

/** Timers and the time source on which they run. */
export interface Clock extends Timers {
  /** Milliseconds; only differences are meaningful. */
  now(): number;
}

/** The platform's clock; its timers do not keep the process alive. */
export const platformClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(milliseconds, action) {
    const timer = setInterval(action, milliseconds);
    timer.unref();
    return () => clearInterval(timer);
  },
};

/**
 * Returns the milliseconds since 1970 according to the system's clock when the thread started. Unlike `Date.now`, the
 * value does not jump when that clock is set. For durations, and for times that are stored.
 */
export function steadyTime(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}
