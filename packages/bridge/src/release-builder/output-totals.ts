import { OP } from "../bitcoin/script.js";
import { outputLength, type ParentOutput } from "../bitcoin/transaction.js";
import { dustLimit } from "./dust.js";

/** Sums over a transaction's outputs that determine its fee and how much of it each output can pay. */
export interface OutputTotals {
  readonly count: number;
  /** Satoshi. */
  readonly value: bigint;
  /** Encoded bytes. */
  readonly length: number;
  /** Satoshi by which the first output exceeds the dust limit; negative if it is dust. */
  readonly firstSpare: bigint;
  /** The least of the same for all others. */
  readonly otherSpare: bigint;
}

/** Satoshi above any fee, because data outputs have no dust limit. */
const UNLIMITED = 1n << 80n;

const NO_OUTPUTS: OutputTotals = {
  count: 0,
  value: 0n,
  length: 0,
  firstSpare: UNLIMITED,
  otherSpare: UNLIMITED,
};

export function withOutput(totals: OutputTotals, output: ParentOutput): OutputTotals {
  const spare = output.script[0] === OP.return ? UNLIMITED : output.value - dustLimit(output);
  return {
    count: totals.count + 1,
    value: totals.value + output.value,
    length: totals.length + outputLength(output),
    firstSpare: totals.count === 0 ? spare : totals.firstSpare,
    otherSpare: totals.count > 0 && spare < totals.otherSpare ? spare : totals.otherSpare,
  };
}

export function totalsOf(outputs: readonly ParentOutput[]): OutputTotals {
  return outputs.reduce(withOutput, NO_OUTPUTS);
}
