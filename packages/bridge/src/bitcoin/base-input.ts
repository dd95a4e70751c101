import { concatBytes, EMPTY_BYTES } from "@cambium/primitives";
import { pushData, witnessProgram } from "./script.js";
import type { ParentInput } from "./transaction.js";

/** The parts of an input that spending it changes. */
export type InputForm = Pick<ParentInput, "script" | "witness">;

/** An unsigned witness input: empty signature slots, the branch selector, the script. */
export function witnessBaseInput(redeem: Uint8Array, threshold: number): InputForm {
  const empty = Array.from({ length: threshold + 2 }, () => EMPTY_BYTES);
  return { script: pushData(witnessProgram(redeem)), witness: [...empty, redeem] };
}

/** An unsigned legacy input; only scripts with emergency keys have a branch selector. */
export function legacyBaseInput(redeem: Uint8Array, threshold: number, emergency: boolean): InputForm {
  const empty = new Uint8Array(1 + threshold + (emergency ? 1 : 0));
  return { script: concatBytes(empty, pushData(redeem)), witness: [] };
}
