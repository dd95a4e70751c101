import { BRIDGE_ADDRESS, type NetworkConfig, type Rules } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { CELLS } from "../storage/cells.js";
import { activationAge, decodeFederation, type Federation, genesisFederation } from "./federation.js";

/** The active and the retiring federation: `spec/06b-2 §1.6`. */
export interface FederationChoice {
  active: Federation;
  retiring: Federation | undefined;
}

/**
 * Chooses the federations that are active and retiring at `height`. The bridge passes the executing block's number, the
 * reward contract that of the matured block (`spec/05 §7.2`); rules are the executing block's in both cases.
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

interface Remembered {
  cell: Uint8Array;
  version: Uint8Array | undefined;
  federation: Federation;
}

/**
 * Reads federations from the bridge's cells without side effects, caching the last one of each cell: the reward
 * contract needs it in every block, but it changes only every few months.
 */
export class FederationReader {
  private readonly remembered = new Map<Uint8Array, Remembered>();

  read(state: StateReader): { new: Federation | undefined; old: Federation | undefined } {
    const current = this.readCell(state, CELLS.newFederation, CELLS.newFederationFormatVersion);
    if (current === undefined) return { new: undefined, old: undefined };
    return { new: current, old: this.readCell(state, CELLS.oldFederation, CELLS.oldFederationFormatVersion) };
  }

  private readCell(state: StateReader, key: Uint8Array, versionKey: Uint8Array): Federation | undefined {
    const cell = state.getStorageBytes(BRIDGE_ADDRESS, key);
    if (cell === undefined) return undefined;
    const version = state.getStorageBytes(BRIDGE_ADDRESS, versionKey);
    const last = this.remembered.get(key);
    if (last !== undefined && equalBytes(last.cell, cell) && same(last.version, version)) return last.federation;
    const federation = decodeFederation(cell, version);
    this.remembered.set(key, { cell, version, federation });
    return federation;
  }
}

function same(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}
