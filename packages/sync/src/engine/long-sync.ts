import type { SyncStatus } from "../interface.js";

/** Distance in blocks above which a synchronisation is a long one (`spec/07 §B.0`, `sync.longSyncLimit`). */
export const LONG_SYNC_LIMIT = 24;

/** Whether a long synchronisation is in progress, for `eth_syncing` and its subscription (`spec/07 §B.5`, `§C.6`). */
export class LongSync {
  private range: { startingBlock: number; highestBlock: number } | undefined;
  private readonly listeners = new Set<(status: SyncStatus) => void>();

  constructor(private readonly current: () => number) {}

  get status(): SyncStatus {
    if (this.range === undefined) return false;
    const { startingBlock, highestBlock } = this.range;
    return { startingBlock, currentBlock: this.current(), highestBlock };
  }

  /** Adds a listener of the status at the start, and of false at the end. Errors of a listener are ignored. */
  onChange(listener: (status: SyncStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Starts. Range and target do not change later, unless the target was too high. */
  start(highestBlock: number): void {
    if (this.range !== undefined) return;
    this.range = { startingBlock: this.current(), highestBlock };
    this.notify();
  }

  /** Corrects a target that only a departed peer, or few of many peers, had claimed. */
  lower(highestBlock: number): void {
    if (this.range !== undefined) this.range.highestBlock = Math.min(this.range.highestBlock, highestBlock);
  }

  end(): void {
    if (this.range === undefined) return;
    this.range = undefined;
    this.notify();
  }

  private notify(): void {
    const { status } = this;
    for (const listener of this.listeners) {
      try {
        listener(status);
      } catch {
        // Other listeners are still notified.
      }
    }
  }
}
