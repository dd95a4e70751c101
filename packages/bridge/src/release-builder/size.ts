import { variableLength } from "../bitcoin/variable-integer.js";

// Sizes that fees are asked for: spec/06b-3 §6.5.

const BUILT_SIGNATURE = 75;
const ESTIMATED_SIGNATURE = 72;
const INPUT = 41;
const OUTPOINT = 36;
const ESTIMATED_OUTPUT = 32;

/** What spending one coin takes. */
export interface InputSize {
  /** Signatures needed. */
  threshold: number;
  /** Bytes of the redeem script. */
  redeemLength: number;
}

function weigh(base: number, total: number): number {
  return Math.floor((total + 3 * base) / 4);
}

/** Size of a transaction under construction, once its inputs are signed. `outputs` are encoded lengths. */
export function builtSize(segwit: boolean, inputs: readonly InputSize[], outputs: readonly number[]): number {
  const fixed = 4 + variableLength(inputs.length) + INPUT * inputs.length + variableLength(outputs.length) + 4;
  const base = outputs.reduce((sum, length) => sum + length, fixed);
  const signatures = inputs.reduce((sum, input) => sum + BUILT_SIGNATURE * input.threshold + input.redeemLength, 0);
  if (!segwit) return base + signatures;
  const withPrograms = base + OUTPOINT * inputs.length;
  return weigh(withPrograms, withPrograms + signatures);
}

/** The size that is assumed of a peg-out before there is one. */
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
  // The client serializes the transaction without its inputs here.
  const base = 4 + 1 + 1 + ESTIMATED_OUTPUT * outputs + 4 + OUTPOINT * inputs;
  return weigh(base, base + signatures + inputs * redeemLength);
}

/** The same before RSKIP-271, which counted otherwise. */
export function estimatedSizeBeforeRskip271(
  threshold: number,
  redeemLength: number,
  inputs: number,
  outputs: number,
): number {
  return 4 + (72 * threshold + redeemLength + 1 + 40) * inputs + (25 + 1 + 9) * outputs;
}
