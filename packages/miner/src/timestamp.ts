/** What the time of the next block comes from; all in seconds. */
export interface ClockReading {
  /** May have a fraction. */
  now: number;
  parentTimestamp: number;
  /** Shift asked for with `evm_increaseTime`. */
  adjustment: number;
  /** Whether time only moves by adjustments: for local networks, which take equal timestamps. */
  isFixed?: boolean;
}

/** Timestamp of the next block (`spec/03 §6.3`). */
export function nextTimestamp({ now, parentTimestamp, adjustment, isFixed = false }: ClockReading): number {
  return isFixed ? parentTimestamp + adjustment : Math.max(Math.floor(now) + adjustment, parentTimestamp + 1);
}
