import { variableLength } from "../bitcoin/variable-integer.js";
import type { Signers } from "../federation/spending.js";

// Transaction sizes for fee calculation: spec/06b-3 §6.5.

const BUILT_SIGNATURE = 75;
const ESTIMATED_SIGNATURE = 72;
const INPUT = 41;
const OUTPOINT = 36;
const PROGRAM = 35;
const ESTIMATED_OUTPUT = 32;
const LONGEST_SIGNATURE = 73;

/** Sizes of a transaction's inputs, in bytes. */
export interface InputSizes {
  readonly count: number;
  /** Future signatures, and the redeem scripts. */
  readonly signatures: number;
  /** Bytes by which unsigned input scripts exceed empty ones; 0 for witness inputs. */
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

/** Virtual size of a transaction with longest signatures in its inputs' witnesses (RSKIP-378). */
function virtualSize(base: number, inputs: number, { threshold, redeemLength }: Signers): number {
  const signatures = threshold * (variableLength(LONGEST_SIGNATURE) + LONGEST_SIGNATURE);
  const script = variableLength(redeemLength) + redeemLength;
  // The witness of an input: the number of items, an empty one, signatures, the branch selector, the script.
  const witness = variableLength(threshold + 3) + 1 + signatures + 1 + script;
  return weigh(base, base + inputs * witness);
}

/** Virtual size of a built transaction (RSKIP-378); inputs of a legacy federation count as if they had witnesses. */
export function builtVirtualSize(segwit: boolean, inputs: InputSizes, outputs: OutputSizes, signers: Signers): number {
  const programs = segwit ? PROGRAM * inputs.count : 0;
  return virtualSize(unsignedSize(inputs, outputs) + programs, inputs.count, signers);
}

/** Assumed virtual size of a peg-out that is not yet built (RSKIP-378). */
export function estimatedVirtualSize(signers: Signers, inputs: number, outputs: number): number {
  const base = bareSize(inputs, { count: outputs, length: ESTIMATED_OUTPUT * outputs });
  return virtualSize(base + OUTPOINT * inputs, inputs, signers);
}

/** Assumed size of a peg-out that is not yet built, before RSKIP-378. */
export function estimatedSize(
  segwit: boolean,
  { threshold, redeemLength }: Signers,
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
  { threshold, redeemLength }: Signers,
  inputs: number,
  outputs: number,
): number {
  return 4 + (72 * threshold + redeemLength + 1 + 40) * inputs + (25 + 1 + 9) * outputs;
}
