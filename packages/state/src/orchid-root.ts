import { bigintToBytes, EMPTY_KECCAK, encodeRlp, keccak256 } from "@cambium/primitives";
import { Trie } from "@cambium/trie";
import type { StateView } from "./interface.js";

/**
 * The root that headers before RSKIP-126 carry ("Orchid"), computed from the state: one entry an account under its
 * hashed address, with the roots of separate storage tries (`spec/01 §5.2`). Visits the whole state.
 */
export function orchidStateRoot(view: StateView): Uint8Array {
  const accounts = new Trie();
  for (const { address, nonce, balance } of view.accounts()) {
    const code = view.getCode(address);
    const codeHash = code.length === 0 ? EMPTY_KECCAK : keccak256(code);
    // The balance is unsigned here, and zero is empty, unlike in today's account records.
    const record = [bigintToBytes(nonce), bigintToBytes(balance), storageRoot(view, address), codeHash];
    accounts.put(keccak256(address), encodeRlp(record));
  }
  return accounts.oldHash(true);
}

function storageRoot(view: StateView, address: Uint8Array): Uint8Array {
  const cells = new Trie();
  for (const { key, value } of view.storageEntries(address)) cells.put(keccak256(key), value);
  return cells.oldHash(true);
}
