/**
 * Clock of the next block, in seconds ahead of the system's: `evm_increaseTime`. A requested shift counts until a block
 * is mined with it. In the deployed client it counts only until the next template (`spec/03 §11`, 26). Later blocks
 * keep the shift: the time of the chain continues from there.
 */
export class TimeAdjustment {
  private requested = 0;
  private kept = 0;

  /** Shift requested since the last block, in seconds. */
  get total(): number {
    return this.requested;
  }

  /** Seconds by which the clock of the next block is ahead; negative if it is behind. */
  get shift(): number {
    return this.kept + this.requested;
  }

  /** Adds seconds; zero and negative values have no effect. Returns the total. */
  increase(seconds: number): number {
    if (seconds > 0) this.requested += seconds;
    return this.requested;
  }

  /** Moves the clock forward unless it is already further ahead. */
  keepAtLeast(seconds: number): void {
    this.kept = Math.max(this.kept, seconds - this.requested);
  }

  /** Keeps the part of the shift that was requested before a mined block. */
  consume(seconds: number): void {
    const consumed = Math.min(seconds, this.requested);
    this.requested -= consumed;
    this.kept += consumed;
  }

  /** Replaces all shifts. */
  set(seconds: number): void {
    this.requested = 0;
    this.kept = seconds;
  }
}
