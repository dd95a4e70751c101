/** Messages, and bytes of them, that are sent before the first of them is acknowledged. */
const WINDOW_MESSAGES = 256;
const WINDOW_BYTES = 8 * 1024 * 1024;

/** Messages whose acknowledgement is awaited. */
export class Window {
  /** Why the first of them failed; all after it fail too. */
  failure: Error | undefined;
  private readonly pending = new Set<Promise<void>>();
  private bytes = 0;
  private giveUp: () => void = () => undefined;
  private readonly givenUp = new Promise<void>((resolve) => {
    this.giveUp = resolve;
  });

  /** Gives up all messages whose acknowledgement has not arrived. */
  fail(error: Error): void {
    this.failure ??= error;
    this.giveUp();
  }

  /** Resolves when another message may be sent. Rejects if one has failed. */
  async room(bytes: number): Promise<void> {
    const isFull = () => this.pending.size >= WINDOW_MESSAGES || (this.bytes > 0 && this.bytes + bytes > WINDOW_BYTES);
    while (this.failure === undefined && isFull()) await Promise.race([this.givenUp, ...this.pending]);
    if (this.failure !== undefined) throw this.failure;
  }

  add(bytes: number, acknowledged: Promise<unknown>, done: () => void): void {
    this.bytes += bytes;
    const settled = acknowledged
      .then(
        () => {
          if (this.failure === undefined) done();
        },
        (error: Error) => this.fail(error),
      )
      .finally(() => {
        this.bytes -= bytes;
        this.pending.delete(settled);
      });
    this.pending.add(settled);
  }

  async settled(): Promise<void> {
    await Promise.race([this.givenUp, Promise.all(this.pending)]);
  }
}
