/** Summary of a synchronisation's imports, from the first attempt until no peer was ahead. */
export interface CatchUpSummary {
  blocks: number;
  seconds: number;
  blocksPerSecond: number;
  mgasPerSecond: number;
}

/** Counts the imports of a synchronisation, over all of its attempts. */
export class CatchUp {
  private blocks = 0;
  private gas = 0;

  /** `startedAt` in milliseconds. */
  constructor(private readonly startedAt: number) {}

  count(gas: number): void {
    this.blocks++;
    this.gas += gas;
  }

  summary(now: number): CatchUpSummary {
    const seconds = Math.max(now - this.startedAt, 1) / 1000;
    const { blocks, gas } = this;
    return { blocks, seconds, blocksPerSecond: blocks / seconds, mgasPerSecond: gas / seconds / 1e6 };
  }
}
