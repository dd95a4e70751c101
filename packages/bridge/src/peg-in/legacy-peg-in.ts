import type { ParentAddress } from "../bitcoin/address.js";
import { type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import { liveSpenders } from "../federation/spending.js";
import type { BridgeSession } from "../session.js";
import { markProcessed } from "../storage/processed.js";
import { surpassesLockingCap } from "../votes/locking-cap.js";
import { executePegIn, totalPaid } from "./credit.js";
import { type PegInInformation, REJECTED, readPegIn, UNREFUNDABLE } from "./evaluation.js";
import { refund } from "./refund.js";
import type { Sender } from "./sender.js";
import { isWhitelisted } from "./whitelist.js";

// Peg-ins before RSKIP-379: spec/06b-3 §11.

/** `height` is the parent chain's, needed for the whitelist. */
export function registerPegInBeforeRskip379(
  session: BridgeSession,
  transaction: ParentTransaction,
  height: number,
): void {
  const information = readPegIn(session, transaction);
  const { isInvalid, version, sender } = information;
  if (isInvalid || (version === 0 && sender === undefined)) rejectUnreadable(session, transaction, information);
  else if (version === 1) registerWithInstructions(session, transaction, information);
  else registerFromSender(session, transaction, information, sender!, height);
}

/** Emits rejection events, from RSKIP-181 on. */
function emitRejection(session: BridgeSession, transaction: ParentTransaction, reason: number): void {
  if (session.rules.rskip181) pegEvents.rejectedPegIn(session, transactionId(transaction), reason);
}

function refundTo(session: BridgeSession, transaction: ParentTransaction, to: ParentAddress): void {
  const total = totalPaid(session, transaction);
  refund(session, transaction, liveSpenders(session), to, session.context.transactionHash(), total);
}

/** Rejects a peg-in with neither a known sender nor valid instructions. Does nothing before RSKIP-170. */
function rejectUnreadable(session: BridgeSession, transaction: ParentTransaction, information: PegInInformation): void {
  if (!session.rules.rskip170) return;
  emitRejection(session, transaction, REJECTED.invalidPayload);
  refundIfPossible(session, transaction, information);
  markProcessed(session, transactionId(transaction));
}

function refundIfPossible(
  session: BridgeSession,
  transaction: ParentTransaction,
  { refundAddress, version }: PegInInformation,
): void {
  if (refundAddress !== undefined) {
    refundTo(session, transaction, refundAddress);
    return;
  }
  const reason = version === 1 ? UNREFUNDABLE.noRefundAddress : UNREFUNDABLE.undeterminedSender;
  if (session.rules.rskip181) pegEvents.unrefundablePegIn(session, transactionId(transaction), reason);
}

function registerWithInstructions(
  session: BridgeSession,
  transaction: ParentTransaction,
  information: PegInInformation,
): void {
  if (!surpassesLockingCap(session, totalPaid(session, transaction))) {
    executePegIn(session, transaction, information);
    return;
  }
  emitRejection(session, transaction, REJECTED.capSurpassed);
  refundIfPossible(session, transaction, information);
  markProcessed(session, transactionId(transaction));
}

/**
 * Registers a peg-in by its sender. Before RSKIP-143, only senders with plain keys are known; from it on, multisig
 * senders are refunded.
 */
function registerFromSender(
  session: BridgeSession,
  transaction: ParentTransaction,
  information: PegInInformation,
  sender: Sender,
  height: number,
): void {
  if (sender.kind !== "key" && !session.rules.rskip143) {
    emitRejection(session, transaction, REJECTED.undeterminedSender);
    return;
  }
  const total = totalPaid(session, transaction);
  const canLock = sender.account !== undefined;
  const isAllowed = canLock && isWhitelisted(session, sender.address.hash, total, height);
  if (isAllowed && !surpassesLockingCap(session, total)) {
    executePegIn(session, transaction, information);
    return;
  }
  if (!canLock) emitRejection(session, transaction, REJECTED.multisigSender);
  else if (session.rules.rskip181 && surpassesLockingCap(session, total)) {
    emitRejection(session, transaction, REJECTED.capSurpassed);
  }
  refundTo(session, transaction, sender.address);
  markProcessed(session, transactionId(transaction));
}
