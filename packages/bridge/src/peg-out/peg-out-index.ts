import { toHex } from "@cambium/primitives";
import { legacyBaseInput, witnessBaseInput } from "../bitcoin/base-input.js";
import { type Multisig, parseMultisig } from "../bitcoin/redeem-script.js";
import { parseScript } from "../bitcoin/script.js";
import { legacySignatureHash } from "../bitcoin/signature-hash.js";
import { type ParentInput, type ParentTransaction, withInputs } from "../bitcoin/transaction.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";

// How a peg-out is recognised when it comes back from the parent chain: spec/06b-3 §2.3 (RSKIP-379).

const PRESENT = Uint8Array.of(1);
/** Empty places are pushed as small numbers may be: no more than this. */
const MAX_LEGACY_THRESHOLD = 16;

/** Script that an input shows for its spending, whatever it is. Throws {@link BridgeError} where its script is cut short. */
export function shownScript({ script, witness }: ParentInput): Uint8Array | undefined {
  if (witness.length > 0) return witness.at(-1);
  return parseScript(script).at(-1)?.data;
}

interface Shown {
  redeem: Uint8Array;
  multisig: Multisig;
}

/** The multisig script of every input; undefined when one shows none. */
function shownMultisigs({ inputs }: ParentTransaction): Shown[] | undefined {
  const shown: Shown[] = [];
  for (const input of inputs) {
    const redeem = shownScript(input);
    const multisig = redeem === undefined ? undefined : parseMultisig(redeem);
    if (redeem === undefined || multisig === undefined) return undefined;
    shown.push({ redeem, multisig });
  }
  return shown;
}

/** The transaction as it was before anybody signed; undefined when an input does not show a multisig script. */
export function withoutSignatures(transaction: ParentTransaction): ParentTransaction | undefined {
  const shown = shownMultisigs(transaction);
  if (shown === undefined) return undefined;
  const isTooLarge = ({ witness }: ParentInput, i: number): boolean =>
    witness.length === 0 && shown[i]!.multisig.threshold > MAX_LEGACY_THRESHOLD;
  if (transaction.inputs.some(isTooLarge)) return undefined;
  return withInputs(transaction, ({ witness }, i) => {
    const { redeem, multisig } = shown[i]!;
    if (witness.length > 0) return witnessBaseInput(redeem, multisig.threshold);
    return legacyBaseInput(redeem, multisig.threshold, multisig.emergency);
  });
}

/** Hash that names a peg-out whoever signed it, in natural byte order; undefined for what cannot be one. */
export function pegOutIndexHash(transaction: ParentTransaction): Uint8Array | undefined {
  const first = transaction.inputs[0];
  const redeem = first === undefined ? undefined : shownScript(first);
  const unsigned = redeem === undefined ? undefined : withoutSignatures(transaction);
  return redeem === undefined || unsigned === undefined ? undefined : legacySignatureHash(unsigned, 0, redeem);
}

function indexCell(hash: Uint8Array): Uint8Array {
  return compoundCell("pegoutTxSigHash", toHex(hash));
}

export function isIndexed({ storage }: BridgeSession, transaction: ParentTransaction): boolean {
  const hash = pegOutIndexHash(transaction);
  return hash !== undefined && storage.read(indexCell(hash)) !== undefined;
}

/** Enters a created transaction; fails when there is an equal one. Nothing before RSKIP-379. */
export function indexPegOut(session: BridgeSession, transaction: ParentTransaction): void {
  if (!session.rules.rskip379) return;
  const hash = pegOutIndexHash(transaction) ?? session.fail("updateCollections", "a transaction without index hash");
  const cell = indexCell(hash);
  if (session.storage.read(cell) !== undefined) session.fail("updateCollections", "the peg-out is indexed already");
  session.storage.write(cell, PRESENT);
}
