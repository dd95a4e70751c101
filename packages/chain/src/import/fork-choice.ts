import { compareBytes } from "@cambium/primitives";

/** The properties that fork choice compares: a branch's total difficulty, and its tip's fees and hash. */
export interface Tip {
  totalDifficulty: bigint;
  paidFees: bigint;
  hash: Uint8Array;
}

/**
 * Whether `candidate` replaces `best` (`spec/02 §5.3`). At equal total difficulty, the block with more than twice the
 * fees wins. Otherwise the lower hash wins, unless the fees of `best` are at least twice as high. If neither block has
 * fees, the block seen first stays.
 */
export function isBetter(candidate: Tip, best: Tip): boolean {
  if (candidate.totalDifficulty !== best.totalDifficulty) return candidate.totalDifficulty > best.totalDifficulty;
  if (candidate.paidFees > 2n * best.paidFees) return true;
  return best.paidFees < 2n * candidate.paidFees && compareBytes(candidate.hash, best.hash) < 0;
}
