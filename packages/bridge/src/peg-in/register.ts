import { sha256d } from "@cambium/merged-mining";
import { reverseBytes } from "@cambium/primitives";
import { addressText } from "../bitcoin/address.js";
import { type ParentTransaction, parseCheckedTransaction, transactionId } from "../bitcoin/transaction.js";
import { activeCoins, registerCoins, retiringCoins } from "../coins.js";
import { requireFederator } from "../federators.js";
import { pay, WEI_PER_SATOSHI } from "../payment.js";
import { pegEvents } from "../peg-events.js";
import type { BridgeSession } from "../session.js";
import { liveSpenders, retiringSpender } from "../spending.js";
import { handOver } from "../svp/hand-over.js";
import { fundId, provingFederation, signedFund, spendId } from "../svp/proposal.js";
import { classify } from "./classification.js";
import { evaluatePegIn, type PegInInformation } from "./evaluation.js";
import { isIncluded } from "./inclusion.js";
import { registerPegInBeforeRskip379 } from "./legacy-peg-in.js";
import { isProcessed, markProcessed } from "./processed.js";
import { paidTo, refund } from "./refund.js";

// registerBtcTransaction: spec/06b-3 §2, §3.

const METHOD = "registerBtcTransaction(bytes,int256,bytes)";

/** `height` is that of the parent-chain block, `tree` the partial Merkle tree that proves the transaction in it. */
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
      lookAtCoins(session);
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

/** Even a peg-in that is rejected looks at the lists it would enter, so that they are saved (`spec/06b-1 §2.2`). */
function lookAtCoins(session: BridgeSession): void {
  activeCoins(session);
  if (retiringSpender(session) !== undefined) retiringCoins(session);
}

/** What the bridge's own transactions pay back to the federations. */
function registerOwn(session: BridgeSession, transaction: ParentTransaction): void {
  registerCoins(session, transaction);
  markProcessed(session, transactionId(transaction));
}

function registerFund(session: BridgeSession, transaction: ParentTransaction): void {
  registerOwn(session, transaction);
  if (provingFederation(session) === undefined) return;
  signedFund.set(session, transaction);
  fundId.set(session, undefined);
}

/** The proof is complete: the proposed federation is the next one. */
function registerSpend(session: BridgeSession, transaction: ParentTransaction): void {
  registerOwn(session, transaction);
  spendId.set(session, undefined);
  handOver(session, session.storage.proposedFederation ?? session.fail(METHOD, "no federation is proposed"));
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
    refund(session, transaction, liveSpenders(session), verdict.to, context.transactionHash());
    markProcessed(session, txid);
    return;
  }
  pegEvents.unrefundablePegIn(session, txid, verdict.unrefundable);
  // Without the mark it may come again in another form (RSKIP-551).
  if (rules.rskip459 && !rules.rskip551) markProcessed(session, txid);
}

/** Satoshi that a transaction pays to the live federations. */
export function totalPaid(session: BridgeSession, transaction: ParentTransaction): bigint {
  return paidTo(transaction, liveSpenders(session)).reduce((sum, coin) => sum + coin.value, 0n);
}

/** Credits the destination and lists the coins. */
export function executePegIn(
  session: BridgeSession,
  transaction: ParentTransaction,
  { destination, version, sender }: PegInInformation,
): void {
  const credited = destination ?? session.fail(METHOD, "nobody to credit");
  const txid = transactionId(transaction);
  const total = totalPaid(session, transaction);
  pay(session, credited, total * WEI_PER_SATOSHI);
  if (session.rules.rskip170) pegEvents.pegIn(session, credited, txid, total, version);
  else if (session.rules.rskip146)
    pegEvents.lock(session, credited, txid, addressText(session, sender!.address), total);
  registerOwn(session, transaction);
}
