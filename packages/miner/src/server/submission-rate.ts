import type { NetworkConfig } from "@cambium/config";
import { MinerError } from "../errors.js";

const TEST_CHAIN = 31;
const TEST_INTERVAL = 10_000;

/** Limits the rate of solutions (`spec/03 §7.4`). Admitted ones count even if they fail later. */
export class SubmissionRate {
  private last = 0;

  /** `interval` and `now` in milliseconds. */
  constructor(
    private readonly interval: number,
    private readonly now: () => number,
  ) {}

  /** Counts a solution. Throws {@link MinerError} `RATE_LIMITED`. */
  admit(): void {
    if (this.interval <= 0) return;
    const now = this.now();
    if (now - this.last < this.interval) throw new MinerError({ code: "RATE_LIMITED" });
    this.last = now;
  }
}

/** Minimum milliseconds between two solutions, unless an operator chooses another. */
export function submissionInterval({ chainId }: NetworkConfig): number {
  return chainId === TEST_CHAIN ? TEST_INTERVAL : 0;
}
