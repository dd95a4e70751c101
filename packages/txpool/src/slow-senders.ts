import { LruCache } from "@cambium/primitives";

/**
 * Seconds for which a sender is refused: first the maximum age of a pending transaction, then twice as long each time.
 */
const FIRST_PAUSE = 650;
const LONGEST_PAUSE = 86_400;

interface Pause {
  length: number;
  /** End of the pause in seconds. */
  until: number;
}

/**
 * Senders of transactions that took too long to execute. This node mines none of these transactions, so their senders
 * pay nothing for the time. They are therefore refused for a while, or until a block contains a transaction that they
 * pay for. The number of senders is bounded; the least recently used is forgotten first.
 */
export class SlowSenders {
  /** Pauses by lower-case hex of the address. */
  private readonly pauses: LruCache<string, Pause>;

  constructor(
    capacity: number,
    /** Returns the current time in seconds. */
    private readonly now: () => number,
  ) {
    this.pauses = new LruCache(capacity);
  }

  /** Whether no sender is refused. */
  get isEmpty(): boolean {
    return this.pauses.size === 0;
  }

  /** Refuses the sender for a while. */
  add(sender: string): void {
    const last = this.pauses.get(sender);
    const length = last === undefined ? FIRST_PAUSE : Math.min(2 * last.length, LONGEST_PAUSE);
    this.pauses.set(sender, { length, until: this.now() + length });
  }

  isRefused(sender: string): boolean {
    const pause = this.pauses.get(sender);
    return pause !== undefined && this.now() < pause.until;
  }

  /** Accepts the sender again. */
  forgive(sender: string): void {
    this.pauses.delete(sender);
  }

  /** Accepts all senders again. */
  clear(): void {
    this.pauses.clear();
  }
}
