import type { Entry } from "./entry.js";
import type { PoolOptions } from "./options.js";

export interface AgeingParts {
  options: Pick<PoolOptions, "maxAgeBlocks" | "maxAgeSeconds">;
  /** Returns the current time in seconds. */
  now: () => number;
  /** Whether the node is downloading blocks that its peers have. */
  isCatchingUp: () => boolean;
}

/**
 * Ages of transactions, in blocks and seconds (`spec/08 §7`). Blocks that the node downloads while it catches up do not
 * count. Otherwise transactions that continue the nonces of a future block would expire with the next eleven blocks,
 * within a second. After a longer download, local transactions start again: only this node may have them.
 */
export class Ageing {
  /** Number of blocks that do not count, in total and in the present or latest download. */
  private skipped = 0;
  private skippedInARow = 0;

  constructor(private readonly parts: AgeingParts) {}

  /** Returns the start of a transaction's age at a best block. */
  start(best: number): Entry["since"] {
    return { time: this.parts.now(), block: best - this.skipped };
  }

  /** Counts blocks; call it before the best block changes by a number of blocks. */
  advance(blocks: number): void {
    if (!this.parts.isCatchingUp()) return;
    this.skipped += blocks;
    this.skippedInARow += blocks;
  }

  isOld({ since }: Entry, best: number): boolean {
    const { maxAgeBlocks, maxAgeSeconds } = this.parts.options;
    if (best - this.skipped - since.block > maxAgeBlocks) return true;
    return maxAgeSeconds > 0 && this.parts.now() - since.time >= maxAgeSeconds;
  }

  /** Whether the node is catching up and has downloaded more blocks than the age at which a transaction is old. */
  get isSuspended(): boolean {
    return this.isLong && this.parts.isCatchingUp();
  }

  /** Whether {@link isSuspended} has ended since the last call. */
  hasResumed(): boolean {
    if (this.skippedInARow === 0 || this.parts.isCatchingUp()) return false;
    const { isLong } = this;
    this.skippedInARow = 0;
    return isLong;
  }

  private get isLong(): boolean {
    return this.skippedInARow > this.parts.options.maxAgeBlocks;
  }
}
