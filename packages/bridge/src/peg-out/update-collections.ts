import { pegEvents } from "../events/peg-events.js";
import { requireFederator } from "../federation/federators.js";
import { updateCreationHeights } from "../federation/succession.js";
import { ReleasesToSign, type UnconfirmedRelease, UnconfirmedReleases } from "../releases/release-lists.js";
import type { BridgeSession } from "../session.js";
import { updateValidation } from "../svp/validation.js";
import { processRequests } from "./batch.js";
import { migrate } from "./migration.js";

// updateCollections: spec/06b-3 §5.

const METHOD = "updateCollections()";

export function updateCollections(session: BridgeSession): undefined {
  requireFederator(session, METHOD);
  pegEvents.updateCollections(session);
  migrate(session);
  processRequests(session);
  confirmOne(session);
  updateCreationHeights(session);
  updateValidation(session);
  return undefined;
}

/** Moves the first release with enough confirmations to those waiting for signatures. */
function confirmOne(session: BridgeSession): void {
  const toSign = ReleasesToSign.load(session);
  const waiting = UnconfirmedReleases.load(session);
  const release = waiting.firstConfirmed(session.network.bridge.releaseConfirmations);
  if (release === undefined) return;
  const key = signingKey(session, release);
  if (session.rules.rskip375 && toSign.get(key) !== undefined)
    session.fail(METHOD, "a release with this hash is already waiting for signatures");
  toSign.set(key, release.transaction);
  waiting.remove(release);
  if (session.rules.rskip326) pegEvents.confirmed(session, release.txid, release.block);
}

/**
 * Hash under which signatures are collected: the creating transaction's from RSKIP-375 on, and between RSKIP-146 and
 * RSKIP-176 if it is known; otherwise the confirming transaction's.
 */
function signingKey(session: BridgeSession, { hash }: UnconfirmedRelease): Uint8Array {
  const { rules, context } = session;
  if (rules.rskip375) {
    if (hash === undefined) return session.fail(METHOD, "release without the hash of its creating transaction");
    return hash;
  }
  const usesCreation = rules.rskip146 && !rules.rskip176;
  return usesCreation && hash !== undefined ? hash : context.transactionHash();
}
