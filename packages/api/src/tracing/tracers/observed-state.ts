import type { Rules } from "@cambium/config";
import { bytesToBigint, toHex } from "@cambium/primitives";
import type { JournaledState, KeyTracker, StateCheckpoint, WorldState } from "@cambium/state";
import type { AnswerBudget } from "./answer-budget.js";

/** An account at one point. */
export interface AccountContent {
  exists: boolean;
  nonce: bigint;
  balance: bigint;
  code: Uint8Array;
}

/** A cell before and after an execution; undefined if it is empty. */
export interface CellChange {
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
}

/** An account that an execution read or wrote, changed or not. */
export interface TouchedAccount {
  address: Uint8Array;
  before: AccountContent;
  after: AccountContent;
  /** The cells that it read or wrote. */
  cells: ReadonlyMap<bigint, CellChange>;
}

interface Touched {
  address: Uint8Array;
  before: AccountContent;
  cells: Map<bigint, Uint8Array | undefined>;
}

const ACCOUNT_BYTES = 200;
const CELL_BYTES = 150;

/**
 * A working state that records reads and writes through it, by code and by native contracts alike: accounts and cells
 * as they were before the first access.
 */
export class ObservedState implements WorldState {
  #touched: Map<string, Touched> | undefined = undefined;

  constructor(
    private readonly state: JournaledState,
    private readonly budget: AnswerBudget,
  ) {}

  /** Starts a new record. */
  start(): void {
    this.#touched = new Map();
  }

  /** Ends the record and returns all touched accounts, as they were at its start and as they are now. */
  stop(): TouchedAccount[] {
    const touched = [...(this.#touched?.values() ?? [])];
    this.#touched = undefined;
    return this.state.untracked(() => touched.map((one) => this.#change(one)));
  }

  #change({ address, before, cells }: Touched): TouchedAccount {
    const changes = [...cells].map(([slot, value]) => {
      return [slot, { before: value, after: this.state.peekStorage(address, slot) }] as const;
    });
    return { address, before, after: this.#content(address), cells: new Map(changes) };
  }

  #content(address: Uint8Array): AccountContent {
    const { state } = this;
    const code = state.getCode(address);
    this.budget.spend(ACCOUNT_BYTES + 2 * code.length);
    return {
      exists: state.exists(address),
      nonce: state.getNonce(address),
      balance: state.getBalance(address),
      code,
    };
  }

  #touch(address: Uint8Array): Touched | undefined {
    if (this.#touched === undefined) return undefined;
    const key = toHex(address);
    let touched = this.#touched.get(key);
    if (touched === undefined) {
      const copy = address.slice();
      touched = { address: copy, before: this.state.untracked(() => this.#content(copy)), cells: new Map() };
      this.#touched.set(key, touched);
    }
    return touched;
  }

  #touchCell(address: Uint8Array, slot: bigint): void {
    const cells = this.#touch(address)?.cells;
    if (cells === undefined || cells.has(slot)) return;
    this.budget.spend(CELL_BYTES);
    cells.set(slot, this.state.peekStorage(address, slot));
  }

  checkpoint(): StateCheckpoint {
    return this.state.checkpoint();
  }

  revertTo(checkpoint: StateCheckpoint): void {
    this.state.revertTo(checkpoint);
  }

  exists(address: Uint8Array): boolean {
    this.#touch(address);
    return this.state.exists(address);
  }

  getNonce(address: Uint8Array): bigint {
    this.#touch(address);
    return this.state.getNonce(address);
  }

  getBalance(address: Uint8Array): bigint {
    this.#touch(address);
    return this.state.getBalance(address);
  }

  isContract(address: Uint8Array): boolean {
    this.#touch(address);
    return this.state.isContract(address);
  }

  getCode(address: Uint8Array): Uint8Array {
    this.#touch(address);
    return this.state.getCode(address);
  }

  getCodeSize(address: Uint8Array): number {
    this.#touch(address);
    return this.state.getCodeSize(address);
  }

  getCodeHash(address: Uint8Array, rules: Rules): Uint8Array {
    this.#touch(address);
    return this.state.getCodeHash(address, rules);
  }

  getStorage(address: Uint8Array, slot: bigint): bigint {
    this.#touchCell(address, slot);
    return this.state.getStorage(address, slot);
  }

  getStorageBytes(address: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    this.#touchCell(address, bytesToBigint(key));
    return this.state.getStorageBytes(address, key);
  }

  createAccount(address: Uint8Array, keepBalance?: boolean): void {
    this.#touch(address);
    this.state.createAccount(address, keepBalance);
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    this.#touch(address);
    this.state.setNonce(address, nonce);
  }

  incrementNonce(address: Uint8Array): void {
    this.#touch(address);
    this.state.incrementNonce(address);
  }

  addBalance(address: Uint8Array, amount: bigint): void {
    this.#touch(address);
    this.state.addBalance(address, amount);
  }

  transfer(from: Uint8Array, to: Uint8Array, amount: bigint): void {
    this.#touch(from);
    this.#touch(to);
    this.state.transfer(from, to, amount);
  }

  markContract(address: Uint8Array): void {
    this.#touch(address);
    this.state.markContract(address);
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    this.#touch(address);
    this.state.setCode(address, code);
  }

  setStorage(address: Uint8Array, slot: bigint, value: bigint): void {
    this.#touchCell(address, slot);
    this.state.setStorage(address, slot, value);
  }

  setStorageBytes(address: Uint8Array, key: Uint8Array, value: Uint8Array | undefined): void {
    this.#touchCell(address, bytesToBigint(key));
    this.state.setStorageBytes(address, key, value);
  }

  deleteAccount(address: Uint8Array): void {
    this.#touch(address);
    this.state.deleteAccount(address);
  }

  getTransientStorage(address: Uint8Array, slot: bigint): bigint {
    return this.state.getTransientStorage(address, slot);
  }

  setTransientStorage(address: Uint8Array, slot: bigint, value: bigint): void {
    this.state.setTransientStorage(address, slot, value);
  }

  clearTransientStorage(): void {
    this.state.clearTransientStorage();
  }

  trackKeys(tracker: KeyTracker | undefined): void {
    this.state.trackKeys(tracker);
  }
}
