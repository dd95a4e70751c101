import { BRIDGE_ADDRESS, type NetworkConfig, type Rules } from "@cambium/config";
import type { StateReader } from "@cambium/state";
import { activationAge, type Federation, genesisFederation } from "../model/federation.js";
import { storedFederation } from "../model/stored-federation.js";
import { CELLS } from "../storage/cells.js";

/** The active and the retiring federation: `spec/06b-2 §1.6`. */
export interface FederationChoice {
  active: Federation;
  retiring: Federation | undefined;
}

/**
 * Chooses the federations that are active and retiring at `height`. The bridge passes the number of the executing
 * block, the reward contract that of the matured block (`spec/05 §7.2`). Rules are those of the executing block in both
 * cases.
 */
export function chooseFederations(
  stored: { new: Federation | undefined; old: Federation | undefined },
  height: number,
  network: NetworkConfig,
  rules: Rules,
): FederationChoice {
  if (stored.new === undefined) return { active: genesisOf(network), retiring: undefined };
  if (stored.old === undefined) return { active: stored.new, retiring: undefined };
  return height - stored.new.creationBlock >= activationAge(network, rules)
    ? { active: stored.new, retiring: stored.old }
    : { active: stored.old, retiring: undefined };
}

const genesisFederations = new WeakMap<NetworkConfig, Federation>();

/** One object per network, so that data derived from a federation can be cached by identity. */
function genesisOf(network: NetworkConfig): Federation {
  let federation = genesisFederations.get(network);
  if (federation === undefined) genesisFederations.set(network, (federation = genesisFederation(network)));
  return federation;
}

/** Reads the federations from the bridge's cells without side effects. */
export function readFederations(state: StateReader): { new: Federation | undefined; old: Federation | undefined } {
  const current = readFederation(state, CELLS.newFederation, CELLS.newFederationFormatVersion);
  if (current === undefined) return { new: undefined, old: undefined };
  return { new: current, old: readFederation(state, CELLS.oldFederation, CELLS.oldFederationFormatVersion) };
}

function readFederation(state: StateReader, key: Uint8Array, versionKey: Uint8Array): Federation | undefined {
  const cell = state.getStorageBytes(BRIDGE_ADDRESS, key);
  return cell === undefined
    ? undefined
    : storedFederation(key, cell, state.getStorageBytes(BRIDGE_ADDRESS, versionKey));
}
