import { BRIDGE_ADDRESS } from "@cambium/config";
import { bigintToBytes, equalBytes, fromHex, fromQuantity, toHex } from "@cambium/primitives";
import { JournaledState, type KeyedStateView, openState, type TrieState } from "@cambium/state";

/** An account before the transactions: quantities and byte strings in hex with 0x. */
export interface PreAccount {
  nonce: string;
  balance: string;
  code?: string;
  /** Values by slot. */
  storage?: Record<string, string>;
  /** Whether it has the storage marker. */
  contract?: boolean;
}

/** Committed states in memory, by their roots. */
export class StateMemory {
  private readonly nodes = new Map<string, Uint8Array>();

  /** Stores a state and reads it back, so that vectors test the node codec too. */
  commit(state: JournaledState<TrieState>): KeyedStateView<TrieState> {
    const { root, state: after } = state.commit();
    after.save({ put: (hash, bytes) => void this.nodes.set(toHex(hash), bytes) });
    return openState({ get: (hash) => this.nodes.get(toHex(hash)) }, root);
  }
}

/** Builds a state with these accounts only. */
export function buildPreState(
  accounts: Record<string, PreAccount>,
  memory = new StateMemory(),
): KeyedStateView<TrieState> {
  const state = new JournaledState(openState());
  for (const [hex, account] of Object.entries(accounts)) {
    const address = fromHex(hex);
    const isBridge = equalBytes(address, BRIDGE_ADDRESS);
    state.createAccount(address);
    state.setNonce(address, fromQuantity(account.nonce));
    state.addBalance(address, fromQuantity(account.balance));
    if (account.contract) state.markContract(address);
    if (account.code !== undefined) state.setCode(address, fromHex(account.code));
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      state.setStorageBytes(address, fromHex(slot), isBridge ? cellBytes(value) : bigintToBytes(fromQuantity(value)));
    }
  }
  return memory.commit(state);
}

/** A cell of the bridge: unlike in an EVM word, leading zeros of a byte string are significant. */
export function cellBytes(hex: string): Uint8Array {
  return fromHex(hex.length % 2 === 0 ? hex : hex.replace(/^0x/, "0x0"));
}
