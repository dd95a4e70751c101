import { type Logger, steadyTime } from "@cambium/primitives";
import { FOREIGN } from "./measurements.js";

/** Milliseconds between two lines of the log. */
const INTERVAL = 600_000;

/** Counts messages of other programs, which are skipped, and logs some. */
export class ForeignMessages {
  private count = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly logger: Logger,
    /** What the messages are not: `message of this feed`. */
    private readonly what: string,
  ) {}

  /** Those that have not the seal of a node of the same stream. */
  static unsealed(logger: Logger, what: string): ForeignMessages {
    return new ForeignMessages(logger, `${what} sealed with this node's key and network`);
  }

  /** `about`: where the latest one was found. */
  skipped(about: object): void {
    FOREIGN.add();
    this.count++;
    if (steadyTime() - this.loggedAt < INTERVAL) return;
    this.logger.warn(
      { ...about, skipped: this.count },
      `Skipped a message that is no ${this.what}: another program publishes there`,
    );
    this.loggedAt = steadyTime();
    this.count = 0;
  }
}
