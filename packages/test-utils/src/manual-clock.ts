import type { Clock } from "@cambium/primitives";

interface Timer {
  due: number;
  action: () => void;
  /** Milliseconds between two runs; undefined for a timer that runs once. */
  interval: number | undefined;
}

/** A clock that only a test advances. */
export class ManualClock implements Clock {
  private time = 0;
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  after(milliseconds: number, action: () => void): () => void {
    return this.add({ due: this.time + milliseconds, action, interval: undefined });
  }

  every(milliseconds: number, action: () => void): () => void {
    return this.add({ due: this.time + milliseconds, action, interval: milliseconds });
  }

  /** Number of timers that have neither run nor been cancelled. */
  get pending(): number {
    return this.timers.size;
  }

  /** Advances the clock and runs the timers that are due, in order of time. */
  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (let timer = this.first(); timer !== undefined && timer.due <= end; timer = this.first()) {
      this.time = timer.due;
      if (timer.interval === undefined) this.timers.delete(timer);
      else timer.due += timer.interval;
      timer.action();
    }
    this.time = end;
  }

  private first(): Timer | undefined {
    return [...this.timers].sort((a, b) => a.due - b.due)[0];
  }

  private add(timer: Timer): () => void {
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }
}
