import { type Logger, steadyTime } from "@cambium/primitives";
import { FOREIGN } from "./measurements.js";

/** Minimum time between two log lines, in milliseconds. */
const INTERVAL = 600_000;

/** Counts skipped messages of other programs, and logs them at intervals. */
export class ForeignMessages {
  private count = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly logger: Logger,
    /** Name of the expected message, such as `message of this feed`. */
    private readonly what: string,
  ) {}

  /** Creates a counter of messages without a valid seal. */
  static unsealed(logger: Logger, what: string): ForeignMessages {
    return new ForeignMessages(logger, `${what} sealed with this node's key and network`);
  }

  /** Counts a message. `about` names the place where it was found. */
  skipped(about: object): void {
    FOREIGN.add();
    this.count++;
    if (steadyTime() - this.loggedAt < INTERVAL) return;
    this.logger.warn(
      { ...about, skipped: this.count },
      `Skipped a message that is not a ${this.what}: another program publishes there`,
    );
    this.loggedAt = steadyTime();
    this.count = 0;
  }
}
