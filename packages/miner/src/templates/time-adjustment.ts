/**
 * The clock of the next block, in seconds ahead of the system's: `evm_increaseTime`. A requested shift counts until a
 * block is mined with it, not, as in the deployed client, until the next template (`spec/03 §11`, 26). Later blocks
 * keep it: the time of the chain continues from there.
 */
export class TimeAdjustment {
  private requested = 0;
  private kept = 0;

  /** What was requested since the last block. */
  get total(): number {
    return this.requested;
  }

  /** By how much the clock of the next block is ahead; negative if it is behind. */
  get shift(): number {
    return this.kept + this.requested;
  }

  /** Zero and negative values have no effect. Returns the total. */
  increase(seconds: number): number {
    if (seconds > 0) this.requested += seconds;
    return this.requested;
  }

  /** Moves the clock forward if it is less far ahead. */
  keepAtLeast(seconds: number): void {
    this.kept = Math.max(this.kept, seconds - this.requested);
  }

  /** Keeps what was requested before a block that has been mined. */
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
