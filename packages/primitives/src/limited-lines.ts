import { platformClock, type Timers } from "./clock.js";

export interface LineLimit {
  /** Lines in each window. */
  lines: number;
  /** Milliseconds. */
  window: number;
}

/** Bounds the lines that one kind of event adds to the log, however often it happens. */
export class LimitedLines {
  private left: number;
  private omitted = 0;
  private cancel: (() => void) | undefined;

  /** `onOmitted` is called at the end of a window with the number of lines that were not admitted in it. */
  constructor(
    private readonly limit: LineLimit,
    private readonly onOmitted: (count: number) => void,
    private readonly timers: Timers = platformClock,
  ) {
    this.left = limit.lines;
  }

  /** Whether a line may be logged now. */
  admit(): boolean {
    this.cancel ??= this.timers.after(this.limit.window, () => this.renew());
    if (this.left > 0) {
      this.left--;
      return true;
    }
    this.omitted++;
    return false;
  }

  stop(): void {
    this.cancel?.();
  }

  private renew(): void {
    const { omitted } = this;
    this.cancel = undefined;
    this.left = this.limit.lines;
    this.omitted = 0;
    if (omitted > 0) this.onOmitted(omitted);
  }
}
