import { AccountsError } from "./errors.js";

/** Waiting derivations: with the default cost, those that end within five seconds. */
const MAX_WAITING = 8;

/**
 * Runs key derivations one after the other, because each needs much memory and a thread. Derivations aborted while they
 * wait never begin. One that has begun cannot be stopped, but its result is dropped.
 */
export class DerivationQueue {
  private readonly waiting = new Set<() => void>();
  private isRunning = false;

  /** Rejects with `AccountsError` `BUSY`, or with the reason of an aborted signal. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.isRunning) await this.turn(signal);
    this.isRunning = true;
    try {
      signal?.throwIfAborted();
      const result = await work();
      signal?.throwIfAborted();
      return result;
    } finally {
      this.isRunning = false;
      this.next();
    }
  }

  private turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.waiting.size >= MAX_WAITING) throw new AccountsError({ code: "BUSY", limit: MAX_WAITING });
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        this.waiting.delete(begin);
        reject(signal?.reason);
      };
      this.waiting.add(begin);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  private next(): void {
    const [first] = this.waiting;
    if (first === undefined) return;
    this.waiting.delete(first);
    // Set here, so that no other derivation can overtake this one before it continues.
    this.isRunning = true;
    first();
  }
}
