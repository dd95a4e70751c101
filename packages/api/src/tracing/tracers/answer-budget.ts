import { sizeLimitExceeded } from "../../errors.js";

/** Limits the data that a trace collects while it runs, so that it stops before exceeding the response size limit. */
export class AnswerBudget {
  /** Size of the answer so far, in bytes. */
  private spent = 0;

  /** `limit` in bytes; 0 or less: no limit. */
  constructor(private readonly limit: number) {}

  /** Throws {@link RpcError} `LIMIT_EXCEEDED` once the limit is exceeded. */
  spend(bytes: number): void {
    this.spent += bytes;
    if (this.limit > 0 && this.spent > this.limit) throw sizeLimitExceeded(this.limit);
  }
}
