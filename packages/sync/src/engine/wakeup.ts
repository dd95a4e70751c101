import type { Clock } from "@cambium/primitives";

/** Something changed: lets loops that look at shared state sleep until it may be worth another look. */
export class Wakeup {
  private readonly sleepers = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  notify(): void {
    for (const wake of [...this.sleepers]) wake();
  }

  /** Until the next {@link notify}, at most `milliseconds`, or until the signal aborts, which is no error here. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.sleepers.delete(wake);
        cancel();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const cancel = this.clock.after(milliseconds, wake);
      this.sleepers.add(wake);
      signal.addEventListener("abort", wake);
    });
  }
}
