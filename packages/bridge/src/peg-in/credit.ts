import { addressText } from "../bitcoin/address.js";
import { type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import { registerCoins } from "../federation/coins.js";
import { liveSpenders, outputsTo } from "../federation/spending.js";
import { pay, WEI_PER_SATOSHI } from "../payment.js";
import type { BridgeSession } from "../session.js";
import { markProcessed } from "../storage/processed.js";
import type { PegInInformation } from "./evaluation.js";

// Credits registered transactions: UTXOs of the federations, and the peg-in's account (spec/06b-3 §2.2, §3.1).

/** Registers the outputs of the bridge's own transactions that pay back to the federations. */
export function registerOwn(session: BridgeSession, transaction: ParentTransaction): void {
  registerCoins(session, transaction);
  markProcessed(session, transactionId(transaction));
}

/** Satoshi that a transaction pays to the live federations; counted twice if both have the same script. */
export function totalPaid(session: BridgeSession, transaction: ParentTransaction): bigint {
  const paid = liveSpenders(session).flatMap((spender) => outputsTo(transaction, [spender]));
  return paid.reduce((sum, { value }) => sum + value, 0n);
}

/** Credits the destination and adds the UTXOs. */
export function executePegIn(
  session: BridgeSession,
  transaction: ParentTransaction,
  { destination, version, sender }: PegInInformation,
): void {
  const credited = destination ?? session.fail("registerBtcTransaction(bytes,int256,bytes)", "no account to credit");
  const txid = transactionId(transaction);
  const total = totalPaid(session, transaction);
  pay(session, credited, total * WEI_PER_SATOSHI);
  if (session.rules.rskip170) pegEvents.pegIn(session, credited, txid, total, version);
  else if (session.rules.rskip146)
    pegEvents.lock(session, credited, txid, addressText(session, sender!.address), total);
  registerOwn(session, transaction);
}
