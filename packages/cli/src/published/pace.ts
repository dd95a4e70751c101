import { formatDuration } from "../output.js";

/** Seconds of work before a time left is shown. */
const MINIMUM = 1;

/** Speed of an operation, and the time that is left. */
export class Pace {
  private readonly start = performance.now();
  private first: number | undefined;

  /** `, 3.1 MB/s, 2m 05s left` for an amount that is done, of `total`; empty at the beginning. */
  bytes(done: number, total: number | undefined): string {
    const { seconds, amount } = this.since(done);
    if (seconds < MINIMUM || amount <= 0) return "";
    const perSecond = amount / seconds;
    const left = total === undefined ? "" : `, ${formatDuration((total - done) / perSecond)} left`;
    return `, ${(perSecond / 1e6).toFixed(1)} MB/s${left}`;
  }

  /** `, 2m 05s left` for a share that is done. */
  share(done: number): string {
    const { seconds, amount } = this.since(done);
    return seconds < MINIMUM || amount <= 0 ? "" : `, ${formatDuration(((1 - done) / amount) * seconds)} left`;
  }

  /** Returns the progress since the first report; earlier work does not count. */
  private since(done: number): { seconds: number; amount: number } {
    this.first ??= done;
    return { seconds: (performance.now() - this.start) / 1000, amount: done - this.first };
  }
}
