import { platformClock, type Timers } from "./clock.js";

export interface LineLimit {
  /** Number of lines in each window. */
  lines: number;
  /** Length of a window in milliseconds. */
  window: number;
}

/** Limits the number of log lines for one kind of event, regardless of its frequency. */
export class LimitedLines {
  private left: number;
  private omitted = 0;
  private cancel: (() => void) | undefined;

  /** `onOmitted` is called at the end of a window with the number of omitted lines. */
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
