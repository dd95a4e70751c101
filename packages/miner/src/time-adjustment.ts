/**
 * Clock shift of the next block in seconds: `evm_increaseTime`. It applies to the next mined block and not, as in the
 * deployed client, to the next template (`spec/03 §11`, 26).
 */
export class TimeAdjustment {
  private seconds = 0;

  get total(): number {
    return this.seconds;
  }

  /** Zero and negative values have no effect. Returns the total. */
  increase(seconds: number): number {
    if (seconds > 0) this.seconds += seconds;
    return this.seconds;
  }

  /** Subtracts the shift of a block that has been mined. */
  consume(seconds: number): void {
    this.seconds = Math.max(0, this.seconds - seconds);
  }
}
