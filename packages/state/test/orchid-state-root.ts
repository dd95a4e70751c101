import { bigintToBytes, EMPTY_KECCAK, encodeRlp, keccak256 } from "@cambium/primitives";
import { Trie } from "@cambium/trie";
import type { StateView } from "../src/interface.js";

/**
 * Computes the root that headers before RSKIP-126 ("Orchid") contain: one entry per account under its hashed address,
 * with the roots of separate storage tries (`spec/01 §5.2`). Visits the whole state.
 */
export function orchidStateRoot(view: StateView): Uint8Array {
  const accounts = new Trie();
  for (const { address, nonce, balance } of view.accounts()) {
    const code = view.getCode(address);
    const codeHash = code.length === 0 ? EMPTY_KECCAK : keccak256(code);
    // Unlike in current account records, the balance is unsigned and zero is encoded as empty.
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
