/** Duration of punishments (`spec/07 §C.3`). */
export interface PunishmentRule {
  /** Milliseconds of the first punishment. */
  first: number;
  /** Percentage by which each punishment is longer than the previous one. */
  increment: number;
  /** Maximum in milliseconds; 0: no limit. */
  maximum: number;
}

const MINUTE = 60_000;

export const NODE_PUNISHMENT: PunishmentRule = { first: 12 * MINUTE, increment: 10, maximum: 0 };
export const ADDRESS_PUNISHMENT: PunishmentRule = { first: 12 * MINUTE, increment: 10, maximum: 6000 * MINUTE };

/**
 * Longest punishment in milliseconds, 100 years. The reference client's durations overflow at some point; ours stop
 * growing.
 */
const LONGEST = 100 * 365 * 24 * 60 * MINUTE;

/** Milliseconds of the punishment after `count` earlier ones; a negative score multiplies it. */
export function punishmentDuration(
  { first, increment, maximum }: PunishmentRule,
  count: number,
  score: number,
): number {
  const limit = maximum > 0 ? Math.min(maximum, LONGEST) : LONGEST;
  let duration = first;
  for (let done = 0; done < count; done++) {
    duration = Math.floor((duration * (100 + increment)) / 100);
    if (duration > limit) return limit;
  }
  return Math.min(limit, score < 0 ? duration * -score : duration);
}
