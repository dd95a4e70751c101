import { toHex } from "@cambium/primitives";
import { legacySignatureHash } from "../bitcoin/signature-hash.js";
import type { ParentTransaction } from "../bitcoin/transaction.js";
import { revealedScript, withoutSignatures } from "../bitcoin/unsigned-form.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";

// Recognises peg-outs that return from the parent chain: spec/06b-3 §2.3 (RSKIP-379).

const PRESENT = Uint8Array.of(1);

/**
 * Returns a hash that identifies a peg-out independently of its signatures, in natural byte order. Undefined if the
 * transaction cannot be a peg-out.
 */
function pegOutIndexHash(transaction: ParentTransaction): Uint8Array | undefined {
  const first = transaction.inputs[0];
  const redeem = first === undefined ? undefined : revealedScript(first);
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

/** Indexes a created transaction; fails if an equal one is indexed. Does nothing before RSKIP-379. */
export function indexPegOut(session: BridgeSession, transaction: ParentTransaction): void {
  if (!session.rules.rskip379) return;
  const hash = pegOutIndexHash(transaction) ?? session.fail("updateCollections", "transaction without an index hash");
  const cell = indexCell(hash);
  if (session.storage.read(cell) !== undefined) session.fail("updateCollections", "the peg-out is already indexed");
  session.storage.write(cell, PRESENT);
}
