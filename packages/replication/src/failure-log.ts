import type { Logger } from "@cambium/primitives";

/** Logs why attempts fail that are repeated all the time: a reason once, until it changes or an attempt succeeds. */
export class FailureLog {
  private latest: string | undefined;

  constructor(
    private readonly logger: Logger,
    /** What is attempted: `publish batches for replicas`. */
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
