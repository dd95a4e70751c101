import {
  EMPTY_BYTES,
  EMPTY_KECCAK,
  EMPTY_TRIE_ROOT,
  equalBytes,
  keccak256,
  stripLeadingZeros,
  toHex,
} from "@cambium/primitives";
import type { NodeReader } from "@cambium/trie";
import type { AccountFields, StateManagerInterface } from "@ethereumjs/common";
import { OriginalStorageCache } from "@ethereumjs/statemanager";
import { Account, type Address } from "@ethereumjs/util";
import { StateError } from "./errors.js";
import type { StateCheckpoint } from "./interface.js";
import { JournaledState } from "./journaled-state.js";
import type { TrieState } from "./keyed-state.js";
import { type KeyedStateView, openState } from "./state-view.js";

/** Keeps new nodes in memory on top of a read-only store. */
class Overlay implements NodeReader {
  readonly entries = new Map<string, Uint8Array>();

  constructor(readonly below: NodeReader) {}

  get(hash: Uint8Array, key: Uint8Array, start: number): Uint8Array | undefined {
    return this.entries.get(toHex(hash)) ?? this.below.get(hash, key, start);
  }

  put(hash: Uint8Array, bytes: Uint8Array): void {
    this.entries.set(toHex(hash), bytes);
  }
}

/**
 * Presents the state of a node store to EthereumJS tools. Accounts exist by this chain's rules (`spec/01 §4.6`). There
 * are no storage roots per account, so every account shows the empty one. Changes stay in memory; the store is never
 * written. Roots can be computed, set and copied only without an open checkpoint; otherwise these methods throw
 * {@link StateError} `UNSUPPORTED`.
 */
export class EthereumJsStateManager implements StateManagerInterface {
  readonly originalStorageCache: OriginalStorageCache;
  #store: Overlay;
  #view: KeyedStateView<TrieState>;
  #state: JournaledState<TrieState>;
  #checkpoints: StateCheckpoint[] = [];
  /** Cells written since {@link #view}, needed to clear an account's storage. */
  #written = new Map<string, Map<string, Uint8Array>>();

  constructor(reader: NodeReader, root: Uint8Array = EMPTY_TRIE_ROOT) {
    this.#store = new Overlay(reader);
    this.#view = openState(this.#store, root);
    this.#state = new JournaledState(this.#view);
    this.originalStorageCache = new OriginalStorageCache(this.getStorage.bind(this));
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const state = this.#state;
    const { bytes } = address;
    if (!state.exists(bytes)) return undefined;
    const code = state.getCode(bytes);
    const codeHash = code.length === 0 ? EMPTY_KECCAK : keccak256(code);
    return new Account(state.getNonce(bytes), state.getBalance(bytes), EMPTY_TRIE_ROOT, codeHash, code.length);
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) this.#state.deleteAccount(address.bytes);
    else this.#putFields(address.bytes, account.nonce, account.balance);
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#state.deleteAccount(address.bytes);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const { bytes } = address;
    const { nonce, balance, storageRoot, codeHash, codeSize } = fields;
    if (storageRoot !== undefined || codeHash !== undefined || codeSize !== undefined) {
      throw new StateError({ code: "UNSUPPORTED", what: "setting an account's storage root or code hash" });
    }
    this.#putFields(bytes, nonce ?? this.#state.getNonce(bytes), balance ?? this.#state.getBalance(bytes));
  }

  async putCode(address: Address, value: Uint8Array): Promise<void> {
    this.#state.setCode(address.bytes, value);
    if (value.length > 0) this.#state.markContract(address.bytes);
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.#state.getCode(address.bytes);
  }

  async getCodeSize(address: Address): Promise<number> {
    return this.#state.getCodeSize(address.bytes);
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.#state.getStorageBytes(address.bytes, key) ?? EMPTY_BYTES;
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    const account = address.toString();
    const written = this.#written.get(account) ?? new Map<string, Uint8Array>();
    this.#written.set(account, written.set(toHex(key), key));
    this.#state.setStorageBytes(address.bytes, key, stripLeadingZeros(value).slice());
  }

  async clearStorage(address: Address): Promise<void> {
    const { bytes } = address;
    if (!this.#state.exists(bytes)) return;
    for (const { key } of this.#view.storageEntries(bytes)) this.#state.setStorageBytes(bytes, key, undefined);
    for (const key of this.#written.get(address.toString())?.values() ?? []) {
      this.#state.setStorageBytes(bytes, key, undefined);
    }
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#state.checkpoint());
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop();
  }

  async revert(): Promise<void> {
    const checkpoint = this.#checkpoints.pop();
    if (checkpoint !== undefined) this.#state.revertTo(checkpoint);
  }

  async getStateRoot(): Promise<Uint8Array> {
    return this.#flush();
  }

  async setStateRoot(root: Uint8Array): Promise<void> {
    this.#requireNoCheckpoint("setting a root");
    this.#open(root);
  }

  async hasStateRoot(root: Uint8Array): Promise<boolean> {
    return equalBytes(root, EMPTY_TRIE_ROOT) || this.#store.get(root, EMPTY_BYTES, 0) !== undefined;
  }

  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  shallowCopy(): EthereumJsStateManager {
    const root = this.#flush();
    return new EthereumJsStateManager(this.#store, root);
  }

  #putFields(address: Uint8Array, nonce: bigint, balance: bigint): void {
    this.#state.addBalance(address, balance - this.#state.getBalance(address));
    this.#state.setNonce(address, nonce);
  }

  /** Computes the root of all changes so far and keeps its nodes in memory. */
  #flush(): Uint8Array {
    this.#requireNoCheckpoint("computing a root");
    const { root, state: after } = this.#state.commit();
    after.save(this.#store);
    this.#open(root);
    return root;
  }

  #open(root: Uint8Array): void {
    this.#view = openState(this.#store, root);
    this.#state = new JournaledState(this.#view);
    this.#written.clear();
    this.originalStorageCache.clear();
  }

  #requireNoCheckpoint(what: string): void {
    if (this.#checkpoints.length > 0)
      throw new StateError({ code: "UNSUPPORTED", what: `${what} with an open checkpoint` });
  }
}
