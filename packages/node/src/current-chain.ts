import type { Logger } from "pino";
import type { OpenChain } from "./open-chain.js";

/** The chain that a node serves, which a request may replace. */
export class CurrentChain {
  private readonly listeners: (() => void)[] = [];
  /** Serialises replacements. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly retired = new Set<Promise<void>>();
  private fail: (error: Error) => void = () => undefined;
  /** Resolves with the error if a served chain can import no more blocks. Never rejects. */
  readonly failed = new Promise<Error>((resolve) => {
    this.fail = resolve;
  });

  constructor(
    private present: OpenChain,
    private readonly logger: Logger,
  ) {
    void present.failed.then((error) => this.fail(error));
  }

  get value(): OpenChain {
    return this.present;
  }

  onReplaced(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Replaces the served chain by the one that `open` resolves to. `serve` resolves when the requests about the old
   * chain are answered; the old chain is then closed.
   */
  replace(open: () => Promise<OpenChain>, serve: (next: OpenChain) => Promise<void>): Promise<void> {
    const done = this.turn.then(async () => {
      const next = await open();
      void next.failed.then((error) => this.fail(error));
      const last = this.present;
      this.present = next;
      this.retire(serve(next), last);
      for (const listener of this.listeners) listener();
    });
    this.turn = done.catch(() => undefined);
    return done;
  }

  private retire(answered: Promise<void>, { parts }: OpenChain): void {
    const end = answered
      .then(() => parts.stop())
      .catch((error: unknown) => this.logger.error({ err: error }, "Failed to close a chain that was replaced"))
      .then(() => void this.retired.delete(end));
    this.retired.add(end);
  }

  async stop(): Promise<void> {
    await this.turn;
    await Promise.all(this.retired);
    await this.present.parts.stop();
  }
}
