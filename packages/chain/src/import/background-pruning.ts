import { setTimeout as sleep } from "node:timers/promises";
import { type BlockHistoryOptions, BlockPruning, type ChainStore } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { WriteQueue } from "@cambium/database";

/**
 * Number of blocks that are dropped together. An entry of the log index covers the same number. Peers are notified of
 * the new oldest block each time.
 */
const INTERVAL = 256;

/** Drops old blocks while a chain imports others. */
export class BackgroundPruning {
  private readonly blocks: BlockPruning | undefined;
  private best = 0;
  private running: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly queue: WriteQueue,
    store: ChainStore,
    network: NetworkConfig,
    options: BlockHistoryOptions,
  ) {
    // A forked chain stores no blocks of its source, so there are no old ones to drop.
    if (network.fork === undefined) this.blocks = new BlockPruning(queue, store, options);
  }

  /** Number of the lowest block above genesis that is stored whole; 0 for a fork. */
  get oldest(): number {
    return this.blocks?.oldest ?? 0;
  }

  /**
   * Notes the number of the best block; if old blocks are due, they are dropped in the background. Throws nothing: the
   * next import reports a disk that cannot be read or written.
   */
  run(best: number): void {
    this.best = best;
    const { blocks } = this;
    if (this.running !== undefined || blocks === undefined || this.target(blocks) === 0) return;
    const done = () => {
      this.running = undefined;
    };
    this.running = this.drop(blocks).then(done, done);
  }

  private target(blocks: BlockPruning): number {
    const target = blocks.target(this.best);
    return target - (target % INTERVAL);
  }

  /** Takes at most half of the thread's time. */
  private async drop(blocks: BlockPruning): Promise<void> {
    for (;;) {
      const begun = performance.now();
      const writes = this.isClosed ? [] : blocks.next(this.target(blocks));
      if (writes.length === 0) break;
      await this.queue.append(writes);
      await sleep(performance.now() - begun);
    }
  }

  /** Resolves when nothing more is written. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.running;
  }
}
