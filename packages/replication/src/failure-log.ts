import type { Logger } from "@cambium/primitives";

/** Logs why repeated attempts fail: a reason once, until it changes or an attempt succeeds. */
export class FailureLog {
  private latest: string | undefined;

  constructor(
    private readonly logger: Logger,
    /** Name of the attempt, such as `publish batches for replicas`. */
    private readonly what: string,
  ) {}

  failed({ message: reason }: Error): void {
    if (reason === this.latest) return;
    this.latest = reason;
    this.logger.warn({ reason }, `Cannot ${this.what}, trying again`);
  }

  succeeded(): void {
    if (this.latest === undefined) return;
    this.latest = undefined;
    this.logger.info({}, `Can ${this.what} again`);
  }
}
