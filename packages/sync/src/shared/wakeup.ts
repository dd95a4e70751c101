import type { Clock } from "@cambium/primitives";

/** Lets loops that poll shared state sleep until it may have changed. */
export class Wakeup {
  private readonly sleepers = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  notify(): void {
    for (const wake of [...this.sleepers]) wake();
  }

  /** Resolves at the next {@link notify}, after `milliseconds`, or when the signal aborts. */
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
