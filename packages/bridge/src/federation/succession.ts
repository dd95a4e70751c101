import { encodeRlp, numberToBytes } from "@cambium/primitives";
import { activationAge, type Federation } from "../model/federation.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { CoinList } from "../storage/coin-list.js";
import { activeSpender, defaultOutput } from "./spending.js";

// Change from one federation to the next: spec/06b-2 §3, steps 3 and 5.

/**
 * Makes the given federation the new one and the active one the old one. The UTXOs of the new cell move to the old
 * cell.
 */
export function replaceActiveFederation(session: BridgeSession, next: Federation): void {
  const { storage, rules, activeFederation } = session;
  const coins = CoinList.load(session, storage.newFederationUtxosKey);
  CoinList.load(session, CELLS.oldFederationUtxos).replace(coins.coins);
  coins.replace([]);
  storage.setOldFederation(activeFederation);
  storage.setNewFederation(next);
  if (!rules.rskip186) return;
  storage.write(CELLS.nextFederationCreationHeight, encodeRlp(numberToBytes(next.creationBlock)));
  storage.write(CELLS.lastRetiredScript, encodeRlp([lastRetiredScript(session)]));
}

/** Output script of the currently active federation; from RSKIP-377 on, of its members' part. */
function lastRetiredScript(session: BridgeSession): Uint8Array {
  const spender = activeSpender(session);
  return session.rules.rskip377 ? defaultOutput(spender) : spender.outputScript;
}

/** Once the next federation is active, its creation height becomes the active one (RSKIP-186). */
export function updateCreationHeights(session: BridgeSession): void {
  const { storage, rules, network, context } = session;
  if (!rules.rskip186) return;
  const next = session.readHeight(CELLS.nextFederationCreationHeight);
  if (next === undefined || context.block.number < next + activationAge(network, rules)) return;
  storage.write(CELLS.activeFederationCreationHeight, encodeRlp(numberToBytes(next)));
  storage.write(CELLS.nextFederationCreationHeight, undefined);
}
