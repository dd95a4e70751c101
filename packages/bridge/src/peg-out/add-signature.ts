import { type AbiArray, equalBytes } from "@cambium/primitives";
import { readPublicKey } from "../bitcoin/public-key.js";
import { decodeSignature, type EcdsaSignature } from "../bitcoin/signature.js";
import type { ParentTransaction } from "../bitcoin/transaction.js";
import { pegEvents } from "../events/peg-events.js";
import { isMember } from "../federation/federators.js";
import type { FederationMember } from "../model/federation.js";
import { ReleasesToSign } from "../releases/release-lists.js";
import type { BridgeSession } from "../session.js";
import { provingFederation, type SpendToSign, spendToSign } from "../svp/proposal.js";
import { isFullySigned, signInputs } from "./signing.js";

// addSignature: spec/06b-3 §8.

const METHOD = "addSignature(bytes,bytes[],bytes)";

/** One call's input: a key's signatures for the transaction with a given hash. */
interface Submission {
  readonly pubKey: Uint8Array;
  readonly signatures: readonly EcdsaSignature[];
  readonly key: Uint8Array;
}

export function addSignature(session: BridgeSession, pubKey: Uint8Array, ders: AbiArray, key: Uint8Array): undefined {
  requireMember(session);
  if (readPublicKey(pubKey) === undefined) session.refuse(METHOD, "not a public key");
  if (ders.length === 0) session.refuse(METHOD, "no signatures");
  const signatures = Array.from(ders, (der) => {
    return decodeSignature(der as Uint8Array) ?? session.refuse(METHOD, "malformed signature");
  });
  if (key.length !== 32) session.refuse(METHOD, "not a hash");
  const submission = { pubKey, signatures, key };
  const spend = provingFederation(session) === undefined ? undefined : spendToSign.get(session);
  if (spend !== undefined && equalBytes(spend.key, key)) signSpend(session, spend, submission);
  else signRelease(session, submission);
  return undefined;
}

/** Fails unless the caller is a member of the active, retiring or proposed federation, by its node key. */
function requireMember(session: BridgeSession): void {
  const { active, retiring } = session.federations;
  const federations = [active, retiring, session.storage.proposedFederation];
  const members = federations.flatMap((federation) => federation?.members ?? []);
  if (!isMember({ members }, session.context.caller)) {
    session.fail(METHOD, "the caller is not a member of a federation");
  }
}

function memberOf(members: readonly FederationMember[], pubKey: Uint8Array): FederationMember | undefined {
  return members.find((member) => equalBytes(member.btc, pubKey));
}

/** Signs the proposed federation's proof, which only its own members sign. */
function signSpend(session: BridgeSession, { key, transaction }: SpendToSign, submission: Submission): void {
  const members = session.storage.proposedFederation?.members ?? [];
  const member = memberOf(members, submission.pubKey) ?? session.fail(METHOD, "not a key of the proposed federation");
  if (submission.signatures.length !== transaction.inputs.length) return;
  const signed = sign(session, transaction, member, submission);
  if (isFullySigned(signed)) pegEvents.release(session, key, signed);
  spendToSign.set(session, isFullySigned(signed) ? undefined : { key, transaction: signed });
}

function signRelease(session: BridgeSession, submission: Submission): void {
  const toSign = ReleasesToSign.load(session);
  const transaction = toSign.get(submission.key);
  if (transaction === undefined || submission.signatures.length !== transaction.inputs.length) return;
  const { active, retiring } = session.federations;
  const member = memberOf(active.members, submission.pubKey) ?? memberOf(retiring?.members ?? [], submission.pubKey);
  if (member === undefined) return;
  if (!session.rules.rskip326) pegEvents.addSignature(session, submission.key, member, transaction);
  const signed = sign(session, transaction, member, submission);
  if (!isFullySigned(signed)) {
    toSign.set(submission.key, signed);
    return;
  }
  pegEvents.release(session, submission.key, signed);
  toSign.remove(submission.key);
}

/**
 * The transaction with the signatures that could be added. From RSKIP-326 on, the event is emitted only if there were
 * any.
 */
function sign(
  session: BridgeSession,
  transaction: ParentTransaction,
  member: FederationMember,
  { pubKey, signatures, key }: Submission,
): ParentTransaction {
  const { transaction: signed, counts } = signInputs(session, transaction, pubKey, signatures);
  if (counts && session.rules.rskip326) pegEvents.addSignature(session, key, member, signed);
  return signed;
}
