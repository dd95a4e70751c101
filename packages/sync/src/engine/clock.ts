/** Time and timers, so that tests can hold them. */
export interface Clock {
  /** Milliseconds; only differences mean something. */
  now(): number;
  /** Runs `action` once; returns how to call it off. */
  after(milliseconds: number, action: () => void): () => void;
}

export const platformClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};
