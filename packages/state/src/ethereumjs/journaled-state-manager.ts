import {
  bigintToFixedBytes,
  EMPTY_BYTES,
  EMPTY_KECCAK,
  EMPTY_TRIE_ROOT,
  keccak256,
  stripLeadingZeros,
} from "@cambium/primitives";
import type { AccountFields, StateManagerInterface } from "@ethereumjs/common";
import { OriginalStorageCache } from "@ethereumjs/statemanager";
import { Account, type Address } from "@ethereumjs/util";
import { StateError } from "../errors.js";
import type { StateCheckpoint } from "../interface.js";
import type { JournaledState } from "../journaled-state.js";
import type { KeyedState } from "../keyed-state.js";

/**
 * Presents a journaled state to EthereumJS tools, which change it. Accounts exist by this chain's rules
 * (`spec/01 §4.6`). There are no storage roots per account, so every account shows the empty one. Roots of the state
 * are unknown: methods that need one throw {@link StateError} `UNSUPPORTED`.
 */
export class JournaledStateManager<S extends KeyedState = KeyedState> implements StateManagerInterface {
  readonly originalStorageCache: OriginalStorageCache;
  protected state: JournaledState<S>;
  readonly #checkpoints: StateCheckpoint[] = [];

  constructor(state: JournaledState<S>) {
    this.state = state;
    this.originalStorageCache = new OriginalStorageCache(this.getStorage.bind(this));
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const { state } = this;
    const { bytes } = address;
    if (!state.exists(bytes)) return undefined;
    const code = state.getCode(bytes);
    const codeHash = code.length === 0 ? EMPTY_KECCAK : keccak256(code);
    return new Account(state.getNonce(bytes), state.getBalance(bytes), EMPTY_TRIE_ROOT, codeHash, code.length);
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) this.state.deleteAccount(address.bytes);
    else this.#putFields(address.bytes, account.nonce, account.balance);
  }

  async deleteAccount(address: Address): Promise<void> {
    this.state.deleteAccount(address.bytes);
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const { bytes } = address;
    const { nonce, balance, storageRoot, codeHash, codeSize } = fields;
    if (storageRoot !== undefined || codeHash !== undefined || codeSize !== undefined) {
      throw unsupported("setting an account's storage root or code hash");
    }
    this.#putFields(bytes, nonce ?? this.state.getNonce(bytes), balance ?? this.state.getBalance(bytes));
  }

  async putCode(address: Address, value: Uint8Array): Promise<void> {
    this.state.setCode(address.bytes, value);
    if (value.length > 0) this.state.markContract(address.bytes);
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.state.getCode(address.bytes);
  }

  async getCodeSize(address: Address): Promise<number> {
    return this.state.getCodeSize(address.bytes);
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.state.getStorageBytes(address.bytes, key) ?? EMPTY_BYTES;
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.state.setStorageBytes(address.bytes, key, stripLeadingZeros(value).slice());
  }

  async clearStorage(address: Address): Promise<void> {
    const { bytes } = address;
    if (!this.state.exists(bytes)) return;
    for (const slot of this.state.storageCells(bytes).keys()) {
      this.state.setStorageBytes(bytes, bigintToFixedBytes(slot, 32), undefined);
    }
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.state.checkpoint());
  }

  async commit(): Promise<void> {
    this.#checkpoints.pop();
  }

  async revert(): Promise<void> {
    const checkpoint = this.#checkpoints.pop();
    if (checkpoint !== undefined) this.state.revertTo(checkpoint);
  }

  async getStateRoot(): Promise<Uint8Array> {
    throw unsupported("computing a root");
  }

  async setStateRoot(_root: Uint8Array): Promise<void> {
    throw unsupported("setting a root");
  }

  async hasStateRoot(_root: Uint8Array): Promise<boolean> {
    throw unsupported("looking for a root");
  }

  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  shallowCopy(): StateManagerInterface {
    throw unsupported("copying the state");
  }

  protected get hasCheckpoint(): boolean {
    return this.#checkpoints.length > 0;
  }

  #putFields(address: Uint8Array, nonce: bigint, balance: bigint): void {
    this.state.addBalance(address, balance - this.state.getBalance(address));
    this.state.setNonce(address, nonce);
  }
}

export function unsupported(what: string): StateError {
  return new StateError({ code: "UNSUPPORTED", what });
}
