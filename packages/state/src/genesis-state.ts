import { type GenesisAccount, isActivating, type NetworkConfig } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import type { WorldState } from "./interface.js";
import { JournaledState } from "./journaled-state.js";
import { setUpNativeContracts } from "./native-set-up.js";
import { openState } from "./state-view.js";

/** The state of block 0. */
export interface GenesisState {
  /** Root of the state trie. The header of main's genesis has a different, literal root (`spec/01 §6.2`). */
  root: Uint8Array;
  /** Trie nodes and long values to store. */
  nodes: readonly { hash: Uint8Array; bytes: Uint8Array }[];
}

/** Builds the state of a network's genesis block (`spec/01 §6.2`). */
export function buildGenesisState(network: NetworkConfig): GenesisState {
  const state = new JournaledState(openState());
  for (const account of network.genesis.accounts) allocate(state, account);
  if (isActivating(network, "rskip126", 0)) setUpNativeContracts(state, network, 0);
  const { root, state: after } = state.commit();
  const nodes = new Map<string, { hash: Uint8Array; bytes: Uint8Array }>();
  after.save({ put: (hash, bytes) => void nodes.set(toHex(hash), { hash, bytes }) });
  return { root, nodes: [...nodes.values()] };
}

function allocate(state: WorldState, account: GenesisAccount): void {
  const { address, balance, nonce = 0n, code, storage } = account;
  state.createAccount(address);
  state.setNonce(address, nonce);
  state.addBalance(address, balance);
  if (code === undefined && storage === undefined) return;
  state.markContract(address);
  if (code !== undefined) state.setCode(address, code);
  for (const { slot, value } of storage ?? []) state.setStorageBytes(address, slot, value);
}
