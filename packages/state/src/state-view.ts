import type { Rules } from "@cambium/config";
import { bigintToFixedBytes, EMPTY_BYTES, EMPTY_KECCAK } from "@cambium/primitives";
import { type NodeCache, type NodeReader, Trie } from "@cambium/trie";
import { type Account, decodeAccount, HIBERNATED } from "./account.js";
import { unsignedBigint } from "./big-endian.js";
import { StateError } from "./errors.js";
import type { StateView } from "./interface.js";
import { type KeyedState, TrieState } from "./keyed-state.js";
import { ACCOUNT_KEY_LENGTH, accountKey, addressOfAccountKey, cellKey, cellOfKey, codeKey, markerKey } from "./keys.js";

const ZERO_HASH = new Uint8Array(32);
const WORD_LENGTH = 32;

/**
 * Returns the state at a root of a store of nodes under their hashes; by default the empty state. `cache` shares
 * decoded nodes with other states.
 */
export function openState(reader?: NodeReader, root?: Uint8Array, cache?: NodeCache): KeyedStateView<TrieState> {
  return new KeyedStateView(new TrieState(new Trie(reader, root, cache)));
}

/**
 * Returns a cell as an EVM word, 0 if absent. Throws {@link StateError} `CELL_TOO_LONG` if it has more than 32 bytes.
 */
export function cellToWord(value: Uint8Array | undefined, address: Uint8Array, slot: bigint): bigint {
  if (value === undefined) return 0n;
  if (value.length > WORD_LENGTH) throw new StateError({ code: "CELL_TOO_LONG", address, slot, length: value.length });
  return unsignedBigint(value, 0, value.length);
}

/** {@link StateView} over keys and values. */
export class KeyedStateView<S extends KeyedState = KeyedState> implements StateView {
  constructor(readonly state: S) {}

  get root(): Uint8Array {
    return this.state.root;
  }

  exists(address: Uint8Array): boolean {
    return this.state.valueLength(accountKey(address)) > 0;
  }

  getNonce(address: Uint8Array): bigint {
    return this.#account(accountKey(address))?.nonce ?? 0n;
  }

  getBalance(address: Uint8Array): bigint {
    return this.#account(accountKey(address))?.balance ?? 0n;
  }

  isContract(address: Uint8Array): boolean {
    return this.state.valueLength(markerKey(accountKey(address))) > 0;
  }

  getCode(address: Uint8Array): Uint8Array {
    const key = accountKey(address);
    return this.#hasCode(key) ? (this.state.get(codeKey(key)) ?? EMPTY_BYTES) : EMPTY_BYTES;
  }

  getCodeSize(address: Uint8Array): number {
    const key = accountKey(address);
    return this.#hasCode(key) ? this.state.valueLength(codeKey(key)) : 0;
  }

  getCodeHash(address: Uint8Array, rules: Rules): Uint8Array {
    const key = accountKey(address);
    if (this.state.valueLength(key) === 0) return ZERO_HASH;
    if (this.state.valueLength(markerKey(key)) === 0) return EMPTY_KECCAK;
    return this.state.valueHash(codeKey(key)) ?? (rules.rskip169 ? EMPTY_KECCAK : ZERO_HASH);
  }

  getStorage(address: Uint8Array, slot: bigint): bigint {
    return cellToWord(this.getStorageBytes(address, bigintToFixedBytes(slot, WORD_LENGTH)), address, slot);
  }

  getStorageBytes(address: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    return this.state.get(cellKey(accountKey(address), key));
  }

  *storageEntries(address: Uint8Array): Iterable<{ key: Uint8Array; value: Uint8Array }> {
    const account = accountKey(address);
    const prefix = markerKey(account);
    for (const { key, value } of this.state.entries(prefix)) {
      if (key.length > prefix.length) yield { key: cellOfKey(account, key), value };
    }
  }

  accountProof(address: Uint8Array): Uint8Array[] {
    return this.#proof(accountKey(address));
  }

  storageProof(address: Uint8Array, key: Uint8Array): Uint8Array[] {
    return this.#proof(cellKey(accountKey(address), key));
  }

  storageRoot(address: Uint8Array): Uint8Array | undefined {
    return this.state.nodeHash(markerKey(accountKey(address)));
  }

  #proof(key: Uint8Array): Uint8Array[] {
    const { messages, isLongValue } = this.state.pathTo(key);
    const value = isLongValue ? this.state.get(key) : undefined;
    return value === undefined ? messages : [...messages, value];
  }

  *accounts(): Iterable<{ address: Uint8Array; nonce: bigint; balance: bigint }> {
    for (const { key, value } of this.state.entries(undefined, ACCOUNT_KEY_LENGTH)) {
      const { nonce, balance } = decodeAccount(value);
      yield { address: addressOfAccountKey(key), nonce, balance };
    }
  }

  #account(key: Uint8Array): Account | undefined {
    const value = this.state.get(key);
    return value === undefined ? undefined : decodeAccount(value);
  }

  #hasCode(key: Uint8Array): boolean {
    const account = this.#account(key);
    return account !== undefined && (account.flags & HIBERNATED) === 0;
  }
}
