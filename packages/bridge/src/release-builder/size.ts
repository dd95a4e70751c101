import { variableLength } from "../bitcoin/variable-integer.js";

// Transaction sizes for fee calculation: spec/06b-3 §6.5.

const BUILT_SIGNATURE = 75;
const ESTIMATED_SIGNATURE = 72;
const INPUT = 41;
const OUTPOINT = 36;
const ESTIMATED_OUTPUT = 32;

/** Sizes of a transaction's inputs, in bytes. */
export interface InputSizes {
  readonly count: number;
  /** Future signatures, and the redeem scripts. */
  readonly signatures: number;
  /** What unsigned input scripts take in excess of empty ones; 0 for witness inputs. */
  readonly scripts: number;
}

/** Sizes of a transaction's outputs, in bytes. */
export interface OutputSizes {
  readonly count: number;
  readonly length: number;
}

function weigh(base: number, total: number): number {
  return Math.floor((total + 3 * base) / 4);
}

/** Size with empty input scripts. */
function bareSize(inputs: number, outputs: OutputSizes): number {
  return 4 + variableLength(inputs) + INPUT * inputs + variableLength(outputs.count) + outputs.length + 4;
}

/** Size with unsigned input scripts, but without witnesses and their programs. */
export function unsignedSize(inputs: InputSizes, outputs: OutputSizes): number {
  return bareSize(inputs.count, outputs) + inputs.scripts;
}

/** Bytes that a signed input adds to an empty one, except for a witness program. */
export function signaturesSize(threshold: number, redeem: Uint8Array): number {
  return BUILT_SIGNATURE * threshold + redeem.length;
}

/** Size of a transaction under construction once its inputs are signed. */
export function builtSize(segwit: boolean, inputs: InputSizes, outputs: OutputSizes): number {
  const base = bareSize(inputs.count, outputs);
  if (!segwit) return base + inputs.signatures;
  const withPrograms = base + OUTPOINT * inputs.count;
  return weigh(withPrograms, withPrograms + inputs.signatures);
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
