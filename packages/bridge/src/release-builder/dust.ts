import { OP } from "../bitcoin/script.js";
import { outputLength, type ParentOutput } from "../bitcoin/transaction.js";

const FEE_PER_KB = 15_000n;
const SPENDING_INPUT = 148n;

/** Minimum value of an output that is worth spending: `spec/06b-3 §6.3`. */
export function dustLimit(output: ParentOutput): bigint {
  return (FEE_PER_KB * (BigInt(outputLength(output)) + SPENDING_INPUT)) / 1000n;
}

export function isDust(output: ParentOutput): boolean {
  return output.script[0] !== OP.return && output.value < dustLimit(output);
}
