import { type InputForm, legacyBaseInput, witnessBaseInput } from "../bitcoin/base-input.js";
import { parseMultisig } from "../bitcoin/redeem-script.js";
import { isPublicKeyOutput, parseScript, publicKeyHashOf, tryParseScript } from "../bitcoin/script.js";
import { type ParentInput, type ParentTransaction, withInputs } from "../bitcoin/transaction.js";
import { BridgeError } from "../errors.js";

// Transactions as they were before any federation member signed: spec/06b-3 §2.1, §2.3.

/** Empty places are pushed as small numbers may be: no more than this. */
const MAX_LEGACY_THRESHOLD = 16;
/** No script of a federation demands more signatures (`spec/06b-2 §1.2`): what does was never built by the bridge. */
const MAX_WITNESS_THRESHOLD = 20;

/** Script that an input shows for its spending, whatever it is. Throws {@link BridgeError} where its script is cut short. */
export function shownScript({ script, witness }: ParentInput): Uint8Array | undefined {
  if (witness.length > 0) return witness.at(-1);
  return parseScript(script).at(-1)?.data;
}

type Unsigned = (input: ParentInput) => InputForm | undefined;

/** The form of an input that waits for signatures; undefined when it does not show a multisig script. */
const unsignedInput: Unsigned = (input) => {
  const redeem = shownScript(input);
  const multisig = redeem === undefined ? undefined : parseMultisig(redeem);
  if (redeem === undefined || multisig === undefined) return undefined;
  const { threshold, emergency } = multisig;
  if (input.witness.length > 0) {
    return threshold > MAX_WITNESS_THRESHOLD ? undefined : witnessBaseInput(redeem, threshold);
  }
  return threshold > MAX_LEGACY_THRESHOLD ? undefined : legacyBaseInput(redeem, threshold, emergency);
};

/** A shown script that pays a key, or a key's hash, waits for one signature. */
const unsignedInputBeforeRskip305: Unsigned = (input) => {
  const redeem = shownScript(input);
  const chunks = redeem === undefined ? undefined : tryParseScript(redeem);
  if (redeem === undefined || chunks === undefined) return undefined;
  if (parseMultisig(redeem) !== undefined) return unsignedInput(input);
  if (publicKeyHashOf(chunks) !== undefined || isPublicKeyOutput(chunks)) return legacyBaseInput(redeem, 1, false);
  throw new BridgeError({ code: "PARENT_SCRIPT", reason: "spent by an unknown number of signatures" });
};

/** The transaction as it was before any member signed; undefined when an input does not show a multisig script. */
export function withoutSignatures(transaction: ParentTransaction): ParentTransaction | undefined {
  return withForms(transaction, unsignedInput);
}

/**
 * The same before RSKIP-305; undefined when an input does not show a script. Throws {@link BridgeError} where one shows a
 * script that is spent otherwise than by signatures.
 */
export function withoutSignaturesBeforeRskip305(transaction: ParentTransaction): ParentTransaction | undefined {
  return withForms(transaction, unsignedInputBeforeRskip305);
}

/** Inputs are looked at in order, up to the first without a form. */
function withForms(transaction: ParentTransaction, unsigned: Unsigned): ParentTransaction | undefined {
  const forms: InputForm[] = [];
  for (const input of transaction.inputs) {
    const form = unsigned(input);
    if (form === undefined) return undefined;
    forms.push(form);
  }
  return withInputs(transaction, (_, i) => forms[i]!);
}
