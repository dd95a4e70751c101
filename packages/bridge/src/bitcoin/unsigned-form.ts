import { BridgeError } from "../errors.js";
import { type InputForm, legacyBaseInput, witnessBaseInput } from "./base-input.js";
import { parseMultisig } from "./redeem-script.js";
import { isPublicKeyOutput, parseScript, publicKeyHashOf, tryParseScript } from "./script.js";
import { type ParentInput, type ParentTransaction, withInputs } from "./transaction.js";

// Reconstructs transactions as they were before any federation member signed: spec/06b-3 §2.1, §2.3.

/** Empty slots are pushed like small numbers, so there can be no more. */
const MAX_LEGACY_THRESHOLD = 16;
/** No federation script requires more signatures (`spec/06b-2 §1.2`), so the bridge never built such a transaction. */
const MAX_WITNESS_THRESHOLD = 20;

/**
 * Redeem script that an input reveals, of any form. Throws {@link BridgeError} `PARENT_SCRIPT` if the input's script is
 * truncated.
 */
export function revealedScript({ script, witness }: ParentInput): Uint8Array | undefined {
  if (witness.length > 0) return witness.at(-1);
  return parseScript(script).at(-1)?.data;
}

type Unsigned = (input: ParentInput) => InputForm | undefined;

/** The unsigned form of an input, undefined if it does not reveal a multisig script. */
const unsignedInput: Unsigned = (input) => {
  const redeem = revealedScript(input);
  const multisig = redeem === undefined ? undefined : parseMultisig(redeem);
  if (redeem === undefined || multisig === undefined) return undefined;
  const { threshold, emergency } = multisig;
  if (input.witness.length > 0) {
    return threshold > MAX_WITNESS_THRESHOLD ? undefined : witnessBaseInput(redeem, threshold);
  }
  return threshold > MAX_LEGACY_THRESHOLD ? undefined : legacyBaseInput(redeem, threshold, emergency);
};

/** A revealed script that pays to a public key or its hash needs one signature. */
const unsignedInputBeforeRskip305: Unsigned = (input) => {
  const redeem = revealedScript(input);
  const chunks = redeem === undefined ? undefined : tryParseScript(redeem);
  if (redeem === undefined || chunks === undefined) return undefined;
  if (parseMultisig(redeem) !== undefined) return unsignedInput(input);
  if (publicKeyHashOf(chunks) !== undefined || isPublicKeyOutput(chunks)) return legacyBaseInput(redeem, 1, false);
  throw new BridgeError({ code: "PARENT_SCRIPT", reason: "unknown number of required signatures" });
};

/** The transaction before any member signed, undefined if an input does not reveal a multisig script. */
export function withoutSignatures(transaction: ParentTransaction): ParentTransaction | undefined {
  return withForms(transaction, unsignedInput);
}

/**
 * The same before RSKIP-305, undefined if an input does not reveal a script. Throws {@link BridgeError} `PARENT_SCRIPT`
 * if an input reveals a script that is not spent by signatures.
 */
export function withoutSignaturesBeforeRskip305(transaction: ParentTransaction): ParentTransaction | undefined {
  return withForms(transaction, unsignedInputBeforeRskip305);
}

/** Inputs are processed in order, up to the first without an unsigned form. */
function withForms(transaction: ParentTransaction, unsigned: Unsigned): ParentTransaction | undefined {
  const forms: InputForm[] = [];
  for (const input of transaction.inputs) {
    const form = unsigned(input);
    if (form === undefined) return undefined;
    forms.push(form);
  }
  return withInputs(transaction, (_, i) => forms[i]!);
}
