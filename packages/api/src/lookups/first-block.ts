import type { ChainReader } from "@cambium/chain";
import type { StateView } from "@cambium/state";

/** The block from which a condition on states holds. */
export interface Beginning {
  /** Number of the first block whose state fulfils the condition. */
  number: number;
  /** Whether the state before that block is not stored, so that the condition may have held earlier. */
  isUncertain: boolean;
}

/**
 * Finds the block of the best chain at which a condition on the state began to hold, by reading some 25 states.
 * Undefined if it does not hold in the newest state. If it has begun and ended several times, any beginning is found.
 */
export function firstBlockWhere(chain: ChainReader, condition: (state: StateView) => boolean): Beginning | undefined {
  /** Undefined if the state is not stored, nor are those before it. */
  const holdsAfter = (number: number) => {
    const hash = chain.hashByNumber(number);
    const state = hash && chain.stateAfter(hash);
    return state && condition(state);
  };
  let after = chain.best().header.number;
  if (!holdsAfter(after)) return undefined;
  let before = -1;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (holdsAfter(middle)) after = middle;
    else before = middle;
  }
  return { number: after, isUncertain: before >= 0 && holdsAfter(before) === undefined };
}
