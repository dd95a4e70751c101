import { pegEvents } from "../events/peg-events.js";
import { requireFederator } from "../federation/federators.js";
import { pegConstants } from "../peg-constants.js";
import type { BridgeSession } from "../session.js";
import { updateCreationHeights } from "../svp/hand-over.js";
import { updateValidation } from "../svp/validation.js";
import { processRequests } from "./batch.js";
import { migrate } from "./migration.js";
import { ReleasesToSign, type UnconfirmedRelease, UnconfirmedReleases } from "./release-lists.js";

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

/** Moves the first release that is deep enough to those that wait for signatures. */
function confirmOne(session: BridgeSession): void {
  const toSign = ReleasesToSign.load(session);
  const waiting = UnconfirmedReleases.load(session);
  const release = waiting.firstConfirmed(pegConstants(session.network).releaseConfirmations);
  if (release === undefined) return;
  const key = signingKey(session, release);
  if (session.rules.rskip375 && toSign.get(key) !== undefined) session.fail(METHOD, "this hash waits already");
  toSign.set(key, release.transaction);
  waiting.remove(release);
  if (session.rules.rskip326) pegEvents.confirmed(session, release.txid, release.block);
}

/**
 * Hash that signatures are asked for with: the creating transaction's from RSKIP-375 on, and between RSKIP-146 and
 * RSKIP-176 where it is known; otherwise that of the confirming one.
 */
function signingKey(session: BridgeSession, { hash }: UnconfirmedRelease): Uint8Array {
  const { rules, context } = session;
  if (rules.rskip375) {
    if (hash === undefined) return session.fail(METHOD, "a release without the hash of its creation");
    return hash;
  }
  const usesCreation = rules.rskip146 && !rules.rskip176;
  return usesCreation && hash !== undefined ? hash : context.transactionHash();
}
