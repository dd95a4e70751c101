import { sha256d } from "@cambium/merged-mining";
import { reverseBytes } from "@cambium/primitives";
import { type ParentTransaction, parseCheckedTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import { activeCoins, retiringCoins } from "../federation/coins.js";
import { requireFederator } from "../federation/federators.js";
import { liveSpenders, retiringSpender } from "../federation/spending.js";
import { replaceActiveFederation } from "../federation/succession.js";
import { isIncluded } from "../parent-chain/inclusion.js";
import type { BridgeSession } from "../session.js";
import { isProcessed, markProcessed } from "../storage/processed.js";
import { fundId, provingFederation, signedFund, spendId } from "../svp/proposal.js";
import { classify } from "./classification.js";
import { executePegIn, registerOwn, totalPaid } from "./credit.js";
import { evaluatePegIn } from "./evaluation.js";
import { registerPegInBeforeRskip379 } from "./legacy-peg-in.js";
import { refund } from "./refund.js";

// registerBtcTransaction: spec/06b-3 §2, §3.

const METHOD = "registerBtcTransaction(bytes,int256,bytes)";

/** `height` is that of the parent-chain block; `tree` is the partial Merkle tree that proves the transaction in it. */
export function registerTransaction(
  session: BridgeSession,
  raw: Uint8Array,
  height: number,
  tree: Uint8Array,
): undefined {
  if (!session.rules.rskip199) requireFederator(session, METHOD);
  if (isProcessed(session, reverseBytes(sha256d(raw)))) return;
  if (!isIncluded(session, raw, height, tree)) return;
  const transaction = parseCheckedTransaction(raw);
  if (isProcessed(session, transactionId(transaction))) return;
  switch (classify(session, transaction, height)) {
    case "peg-in":
      loadCoins(session);
      if (session.rules.rskip379) registerPegIn(session, transaction);
      else registerPegInBeforeRskip379(session, transaction, height);
      return;
    case "peg-out-or-migration":
      registerOwn(session, transaction);
      return;
    case "svp-fund":
      registerFund(session, transaction);
      return;
    case "svp-spend":
      registerSpend(session, transaction);
      return;
    case "unknown":
  }
}

/** Even a rejected peg-in loads the UTXO lists it would be added to, so that they are saved (`spec/06b-1 §2.2`). */
function loadCoins(session: BridgeSession): void {
  activeCoins(session);
  if (retiringSpender(session) !== undefined) retiringCoins(session);
}

function registerFund(session: BridgeSession, transaction: ParentTransaction): void {
  registerOwn(session, transaction);
  if (provingFederation(session) === undefined) return;
  signedFund.set(session, transaction);
  fundId.set(session, undefined);
}

/** Completes the proof: the proposed federation becomes the next one. */
function registerSpend(session: BridgeSession, transaction: ParentTransaction): void {
  registerOwn(session, transaction);
  spendId.set(session, undefined);
  replaceActiveFederation(
    session,
    session.storage.proposedFederation ?? session.fail(METHOD, "no federation is proposed"),
  );
  session.storage.setProposedFederation(undefined);
}

function registerPegIn(session: BridgeSession, transaction: ParentTransaction): void {
  const verdict = evaluatePegIn(session, transaction);
  const { rules, context } = session;
  const txid = transactionId(transaction);
  if (verdict.action === "register") {
    executePegIn(session, transaction, verdict.information);
    return;
  }
  pegEvents.rejectedPegIn(session, txid, verdict.reason);
  if (verdict.action === "refund") {
    const total = totalPaid(session, transaction);
    refund(session, transaction, liveSpenders(session), verdict.to, context.transactionHash(), total);
    markProcessed(session, txid);
    return;
  }
  pegEvents.unrefundablePegIn(session, txid, verdict.unrefundable);
  // An unmarked transaction may be registered again in another form (RSKIP-551).
  if (rules.rskip459 && !rules.rskip551) markProcessed(session, txid);
}
