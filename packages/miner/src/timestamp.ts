import { MAX_INT64 } from "@cambium/config";

/** What the time of the next block comes from; all in seconds. */
export interface ClockReading {
  /** May have a fraction. */
  now: number;
  parentTimestamp: bigint;
  /** Shift asked for with `evm_increaseTime`. */
  adjustment: number;
  /** Whether time only moves by adjustments: for local networks, which take equal timestamps. */
  isFixed?: boolean;
}

/**
 * Timestamp of the next block (`spec/03 §6.3`). At the end of 64 bits it stays there: only local networks, which take
 * equal timestamps, have blocks with such times.
 */
export function nextTimestamp({ now, parentTimestamp, adjustment, isFixed = false }: ClockReading): bigint {
  const ofClock = BigInt(Math.floor(now) + adjustment);
  const afterParent = parentTimestamp + 1n;
  const next = isFixed ? parentTimestamp + BigInt(adjustment) : ofClock > afterParent ? ofClock : afterParent;
  return next > MAX_INT64 ? MAX_INT64 : next;
}
