import { bigintToBytes, fromHex, fromQuantity, toData, toHex } from "@cambium/primitives";
import { JournaledState, openState, TrieStateView } from "@cambium/state";
import { Trie } from "@cambium/trie";
import type { StateTestAccount } from "./format.js";

/** State before the transactions, with its root. */
export interface PreState {
  root: string;
  view: TrieStateView;
}

export function buildPreState(accounts: Record<string, StateTestAccount>): PreState {
  const state = new JournaledState(new TrieStateView(new Trie()));
  for (const [hex, account] of Object.entries(accounts)) {
    const address = fromHex(hex);
    state.createAccount(address);
    state.setNonce(address, fromQuantity(account.nonce));
    state.addBalance(address, fromQuantity(account.balance));
    if (account.contract) state.markContract(address);
    if (account.code !== undefined) state.setCode(address, fromHex(account.code));
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      state.setStorageBytes(address, fromHex(slot), bigintToBytes(fromQuantity(value)));
    }
  }
  const committed = state.commit();
  const nodes = new Map<string, Uint8Array>();
  committed.save({ put: (hash, bytes) => void nodes.set(toHex(hash), bytes) });
  const view = openState({ get: (hash) => nodes.get(toHex(hash)) }, committed.root);
  return { root: toData(committed.root), view };
}
