import { toHex } from "@cambium/primitives";
import { legacySignatureHash } from "../bitcoin/signature-hash.js";
import type { ParentTransaction } from "../bitcoin/transaction.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";
import { shownScript, withoutSignatures } from "./unsigned-form.js";

// How a peg-out is recognised when it comes back from the parent chain: spec/06b-3 §2.3 (RSKIP-379).

const PRESENT = Uint8Array.of(1);

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
