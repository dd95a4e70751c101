import { MAX_INT64 } from "@cambium/config";

/** Inputs to the timestamp of the next block, in seconds. */
export interface ClockReading {
  /** Current time in seconds, possibly with a fraction. */
  now: number;
  parentTimestamp: bigint;
  /** Shift requested with `evm_increaseTime`. */
  adjustment: number;
  /** Whether time advances by adjustments only; for local networks, which accept equal timestamps. */
  isFixed?: boolean;
}

/**
 * Returns the timestamp of the next block (`spec/03 §6.3`), capped at the maximum of a signed 64-bit integer. Only
 * local networks, which accept equal timestamps, can reach it.
 */
export function nextTimestamp({ now, parentTimestamp, adjustment, isFixed = false }: ClockReading): bigint {
  const ofClock = BigInt(Math.floor(now) + adjustment);
  const afterParent = parentTimestamp + 1n;
  const next = isFixed ? parentTimestamp + BigInt(adjustment) : ofClock > afterParent ? ofClock : afterParent;
  return next > MAX_INT64 ? MAX_INT64 : next;
}
