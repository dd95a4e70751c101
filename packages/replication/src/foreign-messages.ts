import { type Logger, steadyTime } from "@cambium/primitives";
import { FOREIGN } from "./measurements.js";

/** Milliseconds between two lines of the log. */
const INTERVAL = 600_000;

/** Counts messages that are skipped, because no node of the stream has sealed them, and logs some. */
export class ForeignMessages {
  private count = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly logger: Logger,
    /** What the messages are not: `batch`. */
    private readonly what: string,
  ) {}

  /** `about`: where the latest one was found. */
  skipped(about: object): void {
    FOREIGN.add();
    this.count++;
    if (steadyTime() - this.loggedAt < INTERVAL) return;
    this.logger.warn(
      { ...about, skipped: this.count },
      `Skipped a message that is no ${this.what} of a node with the same key, network and stream: another program publishes there, or the key files differ`,
    );
    this.loggedAt = steadyTime();
    this.count = 0;
  }
}
