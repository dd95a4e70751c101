import { variableLength } from "../bitcoin/variable-integer.js";

// Transaction sizes for fee calculation: spec/06b-3 §6.5.

const BUILT_SIGNATURE = 75;
const ESTIMATED_SIGNATURE = 72;
const INPUT = 41;
const OUTPOINT = 36;
const ESTIMATED_OUTPUT = 32;

/** The properties of an input that determine its signed size. */
export interface InputSize {
  /** Number of required signatures. */
  threshold: number;
  /** Length of the redeem script in bytes. */
  redeemLength: number;
}

function weigh(base: number, total: number): number {
  return Math.floor((total + 3 * base) / 4);
}

/** Size of a transaction under construction once its inputs are signed. `outputs` are encoded lengths. */
export function builtSize(segwit: boolean, inputs: readonly InputSize[], outputs: readonly number[]): number {
  const fixed = 4 + variableLength(inputs.length) + INPUT * inputs.length + variableLength(outputs.length) + 4;
  const base = outputs.reduce((sum, length) => sum + length, fixed);
  const signatures = inputs.reduce((sum, input) => sum + BUILT_SIGNATURE * input.threshold + input.redeemLength, 0);
  if (!segwit) return base + signatures;
  const withPrograms = base + OUTPOINT * inputs.length;
  return weigh(withPrograms, withPrograms + signatures);
}

/** Assumed size of a peg-out that is not yet built. */
export function estimatedSize(
  segwit: boolean,
  threshold: number,
  redeemLength: number,
  inputs: number,
  outputs: number,
): number {
  const signatures = ESTIMATED_SIGNATURE * threshold * inputs;
  if (!segwit) {
    const input = OUTPOINT + variableLength(redeemLength) + redeemLength + 4;
    return 4 + 1 + inputs * input + 1 + ESTIMATED_OUTPUT * outputs + 4 + signatures;
  }
  // The client serialises the transaction without its inputs here.
  const base = 4 + 1 + 1 + ESTIMATED_OUTPUT * outputs + 4 + OUTPOINT * inputs;
  return weigh(base, base + signatures + inputs * redeemLength);
}

/** The assumed size before RSKIP-271, which used a different formula. */
export function estimatedSizeBeforeRskip271(
  threshold: number,
  redeemLength: number,
  inputs: number,
  outputs: number,
): number {
  return 4 + (72 * threshold + redeemLength + 1 + 40) * inputs + (25 + 1 + 9) * outputs;
}
