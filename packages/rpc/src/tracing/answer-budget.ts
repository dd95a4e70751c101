import { sizeLimitExceeded } from "../errors.js";

/** Bounds what a trace collects while it runs, so that no answer is built that would be thrown away for its size. */
export class AnswerBudget {
  private spent = 0;

  /** `limit` in bytes; 0 or less is none. */
  constructor(private readonly limit: number) {}

  /** Throws {@link RpcError} `LIMIT_EXCEEDED`. */
  spend(bytes: number): void {
    this.spent += bytes;
    if (this.limit > 0 && this.spent > this.limit) throw sizeLimitExceeded(this.limit);
  }
}
