/**
 * Shift of the clock of blocks to come, in seconds: `evm_increaseTime`. It belongs to the next block that is mined, and
 * not, as in the reference, to the next template that is built (`spec/03 §11`, 26).
 */
export class TimeAdjustment {
  private seconds = 0;

  get total(): number {
    return this.seconds;
  }

  /** Zero and negative values change nothing. Returns the total. */
  increase(seconds: number): number {
    if (seconds > 0) this.seconds += seconds;
    return this.seconds;
  }

  /** A block with a shift of so many seconds has been mined. */
  consume(seconds: number): void {
    this.seconds = Math.max(0, this.seconds - seconds);
  }
}
