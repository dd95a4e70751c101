/** Number of changes that do not wait for another block: those of some 25 small blocks. */
const ENOUGH_CHANGES = 1_000;
/** Milliseconds after which gathered blocks are written although the next one is not executed yet. */
const MAX_DELAY = 100;

/**
 * Gathers blocks that are written as one batch while the chain is far behind: a batch of one small block, with its
 * messages between threads, takes more time than the changes in it.
 */
export class BlockGathering {
  /** Number of imports whose turn has not come. */
  waiting = 0;
  /** Number of blocks that wait for the next one. */
  private gathered = 0;

  /**
   * Returns how long a block may wait for the next one, in milliseconds; undefined if it is written immediately. Blocks
   * are gathered only while more imports wait, so that the thread has work while the batch is written. `changes` is the
   * number of changes gathered so far.
   */
  delay(isBehind: boolean, changes: number): number | undefined {
    const isGathered = isBehind && this.gathered < this.waiting && changes < ENOUGH_CHANGES;
    this.gathered = isGathered ? this.gathered + 1 : 0;
    return isGathered ? MAX_DELAY : undefined;
  }
}
