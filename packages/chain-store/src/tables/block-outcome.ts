import { equalBytes } from "@cambium/primitives";

/** Data stored about a block besides its content. */
export interface BlockOutcome {
  /** Root of the state after the block; before RSKIP-126 the header's root is meaningless (`spec/02 §5.7`). */
  stateRoot: Uint8Array;
  totalDifficulty: bigint;
}

/** Placeholder for the state root of a block below a snapshot, whose state is not stored. No trie has this root. */
export const NO_STATE = new Uint8Array(32);

export function hasState({ stateRoot }: BlockOutcome): boolean {
  return !equalBytes(stateRoot, NO_STATE);
}
