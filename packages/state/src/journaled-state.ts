// Long because it is one cache: each of its short methods reads or changes the same entries and the undo log.
import type { Rules } from "@cambium/config";
import { EMPTY_BYTES, EMPTY_KECCAK, keccak256, toHex } from "@cambium/primitives";
import { decodeAccount, HIBERNATED } from "./account.js";
import { AccountEntry, Cell } from "./account-entry.js";
import { unsignedBigint } from "./big-endian.js";
import type { KeyTracker, StateCheckpoint, WorldState } from "./interface.js";
import type { KeyedState, StateChange } from "./keyed-state.js";
import { cellOfKey } from "./keys.js";
import { cellToWord, type KeyedStateView } from "./state-view.js";
import {
  CellUndo,
  CodeUndo,
  MarkerUndo,
  RecordUndo,
  type TransientCells,
  TransientClearUndo,
  TransientUndo,
  type Undo,
  WipeUndo,
} from "./undo.js";

const ZERO_HASH = new Uint8Array(32);
const MARKER = Uint8Array.of(1);
/** Size of the table of recently used accounts, indexed by the last byte of the address. */
const RECENT = 256;

/** Result of a commit. */
export interface CommittedState<S extends KeyedState = KeyedState> {
  readonly root: Uint8Array;
  /** The state after the changes, and the changes from the state before. */
  readonly state: S;
  readonly changes: readonly StateChange[];
}

/**
 * {@link WorldState} over a view: a cache of values read and written, with an undo log. Other values are read from the
 * view's state. {@link commit} makes a new state of it, normally once per block.
 *
 * Code passed in is kept and must not be changed afterwards; addresses and cell bytes are copied.
 */
export class JournaledState<S extends KeyedState = KeyedState> implements WorldState {
  #base: S;
  #accounts = new Map<string, AccountEntry>();
  #recent: (AccountEntry | undefined)[] = new Array(RECENT).fill(undefined);
  #changed: AccountEntry[] = [];
  readonly #undo: Undo[] = [];
  #transient: TransientCells = new Map();
  #tracker: KeyTracker | undefined = undefined;

  constructor(view: KeyedStateView<S>) {
    this.#base = view.state;
  }

  checkpoint(): StateCheckpoint {
    return this.#undo.length;
  }

  revertTo(checkpoint: StateCheckpoint): void {
    const log = this.#undo;
    for (let i = log.length - 1; i >= checkpoint; i--) log[i]!.undo();
    if (checkpoint < log.length) log.length = checkpoint;
  }

  /**
   * Applies pending changes, recursive deletes before puts (`spec/01 §4.6`). Invalidates earlier checkpoints; the state
   * can then be used for the next block.
   */
  commit(): CommittedState<S> {
    this.#undo.length = 0;
    const committed = this.preview();
    this.#base = committed.state;
    for (const entry of this.#changed) this.#settle(entry);
    this.#changed = [];
    return committed;
  }

  /** Returns the result of {@link commit} without changing anything: checkpoints stay valid. */
  preview(): CommittedState<S> {
    const changes: StateChange[] = [];
    for (const entry of this.#changed) addChanges(entry, changes);
    const state = this.#base.after(changes);
    return {
      get root() {
        return state.root;
      },
      state,
      changes,
    };
  }

  exists(address: Uint8Array): boolean {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#tracker.reads.add(entry.trackedKey);
    return entry.exists;
  }

  getNonce(address: Uint8Array): bigint {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#tracker.reads.add(entry.trackedKey);
    return entry.nonce;
  }

  getBalance(address: Uint8Array): bigint {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#tracker.reads.add(entry.trackedKey);
    return entry.balance;
  }

  isContract(address: Uint8Array): boolean {
    const entry = this.#entry(address);
    if (this.#tracker !== undefined) this.#tracker.reads.add(toHex(entry.markerKey));
    return this.#marker(entry);
  }

  getCode(address: Uint8Array): Uint8Array {
    const entry = this.#loaded(address);
    if (!this.#codeVisible(entry)) return EMPTY_BYTES;
    if (entry.code === undefined) {
      entry.code = (entry.wiped ? undefined : this.#base.get(entry.codeKey)) ?? EMPTY_BYTES;
      entry.codeSize = entry.code.length;
    }
    return entry.code;
  }

  getCodeSize(address: Uint8Array): number {
    const entry = this.#loaded(address);
    return this.#codeVisible(entry) ? this.#codeSize(entry) : 0;
  }

  getCodeHash(address: Uint8Array, rules: Rules): Uint8Array {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#trackCodeHash(entry);
    if (!entry.exists) return ZERO_HASH;
    if (!this.#marker(entry)) return EMPTY_KECCAK;
    if (this.#codeSize(entry) === 0) return rules.rskip169 || entry.codeWritten ? EMPTY_KECCAK : ZERO_HASH;
    entry.codeHash ??= entry.code === undefined ? this.#base.valueHash(entry.codeKey)! : keccak256(entry.code);
    return entry.codeHash;
  }

  getStorage(address: Uint8Array, slot: bigint): bigint {
    const entry = this.#entry(address);
    const cell = entry.cells.get(slot) ?? this.#loadCell(entry, slot);
    if (this.#tracker !== undefined) this.#tracker.reads.add(cell.trackedKey(entry));
    return cell.raw === undefined ? cell.word : cellToWord(cell.raw, entry.address, slot);
  }

  getStorageBytes(address: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    const entry = this.#entry(address);
    const cell = this.#cell(entry, unsignedBigint(key, 0, key.length));
    if (this.#tracker !== undefined) this.#tracker.reads.add(cell.trackedKey(entry));
    return cell.bytes;
  }

  /** Returns the current bytes of a cell, undefined if absent. Does not track keys; for tracers. */
  peekStorage(address: Uint8Array, slot: bigint): Uint8Array | undefined {
    return this.#cell(this.#entry(address), slot).bytes;
  }

  /** Returns all current cells of an account by slot, in no particular order. Does not track keys. */
  storageCells(address: Uint8Array): Map<bigint, Uint8Array> {
    const entry = this.#entry(address);
    const cells = new Map<bigint, Uint8Array>();
    if (!entry.wiped) {
      for (const { key, value } of this.#base.entries(entry.markerKey)) {
        if (key.length > entry.markerKey.length) cells.set(unsignedBigint(cellOfKey(entry.key, key), 0, 32), value);
      }
    }
    for (const cell of entry.cells.values()) {
      const { bytes } = cell;
      if (bytes === undefined) cells.delete(cell.slot);
      else cells.set(cell.slot, bytes);
    }
    return cells;
  }

  createAccount(address: Uint8Array, keepBalance = false): void {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined && keepBalance) this.#tracker.reads.add(entry.trackedKey);
    this.#recordChange(entry);
    entry.exists = true;
    entry.nonce = 0n;
    entry.flags = 0;
    if (!keepBalance) entry.balance = 0n;
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#tracker.reads.add(entry.trackedKey);
    this.#recordChange(entry);
    entry.exists = true;
    entry.nonce = nonce;
  }

  incrementNonce(address: Uint8Array): void {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#tracker.reads.add(entry.trackedKey);
    this.#recordChange(entry);
    entry.exists = true;
    entry.nonce += 1n;
  }

  addBalance(address: Uint8Array, amount: bigint): void {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#tracker.reads.add(entry.trackedKey);
    if (amount === 0n && entry.exists) return;
    this.#recordChange(entry);
    entry.exists = true;
    entry.balance += amount;
  }

  transfer(from: Uint8Array, to: Uint8Array, amount: bigint): void {
    this.addBalance(from, -amount);
    this.addBalance(to, amount);
  }

  markContract(address: Uint8Array): void {
    this.#mark(this.#entry(address));
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    const entry = this.#loaded(address);
    this.#touch(entry);
    this.#undo.push(new CodeUndo(entry));
    entry.code = code;
    entry.codeSize = code.length;
    entry.codeHash = undefined;
    entry.codeWritten = true;
    entry.codeDirty = true;
    if (this.#tracker !== undefined) this.#tracker.writes.add(toHex(entry.codeKey));
    if (code.length > 0) this.#ensureExists(entry);
  }

  setStorage(address: Uint8Array, slot: bigint, value: bigint): void {
    const entry = this.#loaded(address);
    if (!this.#ensureExists(entry)) this.#mark(entry);
    const cell = entry.cells.get(slot) ?? this.#loadCell(entry, slot);
    if (this.#tracker !== undefined) this.#tracker.writes.add(cell.trackedKey(entry));
    if (cell.word === value && cell.raw === undefined) return;
    this.#cellChange(entry, cell);
    cell.word = value;
    cell.raw = undefined;
  }

  setStorageBytes(address: Uint8Array, key: Uint8Array, value: Uint8Array | undefined): void {
    const entry = this.#loaded(address);
    if (!this.#ensureExists(entry)) this.#mark(entry);
    const cell = this.#cell(entry, unsignedBigint(key, 0, key.length));
    if (this.#tracker !== undefined) this.#tracker.writes.add(cell.trackedKey(entry));
    this.#cellChange(entry, cell);
    cell.bytes = value;
    if (cell.raw !== undefined) cell.raw = cell.raw.slice();
  }

  deleteAccount(address: Uint8Array): void {
    const entry = this.#loaded(address);
    if (this.#tracker !== undefined) this.#tracker.writes.add(entry.trackedKey);
    if (!entry.exists) return;
    this.#touch(entry);
    this.#undo.push(new WipeUndo(entry));
    entry.wipe();
  }

  getTransientStorage(address: Uint8Array, slot: bigint): bigint {
    return this.#transient.get(this.#entry(address))?.get(slot) ?? 0n;
  }

  setTransientStorage(address: Uint8Array, slot: bigint, value: bigint): void {
    const entry = this.#entry(address);
    let cells = this.#transient.get(entry);
    if (cells === undefined) this.#transient.set(entry, (cells = new Map()));
    this.#undo.push(new TransientUndo(cells, slot, cells.get(slot)));
    if (value === 0n) cells.delete(slot);
    else cells.set(slot, value);
  }

  clearTransientStorage(): void {
    if (this.#transient.size === 0) return;
    this.#undo.push(new TransientClearUndo((cells) => (this.#transient = cells), this.#transient));
    this.#transient = new Map();
  }

  trackKeys(tracker: KeyTracker | undefined): void {
    this.#tracker = tracker;
  }

  /** Reads for an observer, whose reads must not look like those of the execution (RSKIP-144). */
  untracked<T>(read: () => T): T {
    const tracker = this.#tracker;
    this.#tracker = undefined;
    try {
      return read();
    } finally {
      this.#tracker = tracker;
    }
  }

  #entry(address: Uint8Array): AccountEntry {
    const slot = address[address.length - 1]!;
    const recent = this.#recent[slot];
    if (recent !== undefined && sameAddress(recent.address, address)) return recent;
    const key = toHex(address);
    let entry = this.#accounts.get(key);
    if (entry === undefined) this.#accounts.set(key, (entry = new AccountEntry(address)));
    this.#recent[slot] = entry;
    return entry;
  }

  /** The account's entry, with its record loaded. */
  #loaded(address: Uint8Array): AccountEntry {
    const entry = this.#entry(address);
    if (!entry.loaded) this.#load(entry);
    return entry;
  }

  #load(entry: AccountEntry): void {
    entry.loaded = true;
    const value = this.#base.get(entry.key);
    if (value === undefined) return;
    const account = decodeAccount(value);
    entry.exists = true;
    entry.nonce = account.nonce;
    entry.balance = account.balance;
    entry.flags = account.flags;
  }

  #marker(entry: AccountEntry): boolean {
    entry.marker ??= !entry.wiped && this.#base.valueLength(entry.markerKey) > 0;
    return entry.marker;
  }

  #codeSize(entry: AccountEntry): number {
    if (entry.codeSize < 0) entry.codeSize = entry.wiped ? 0 : this.#base.valueLength(entry.codeKey);
    return entry.codeSize;
  }

  /** Whether the account's code is visible. Tracks the keys that reading it touches. */
  #codeVisible(entry: AccountEntry): boolean {
    const visible = entry.exists && (entry.flags & HIBERNATED) === 0;
    if (this.#tracker !== undefined) {
      this.#tracker.reads.add(entry.trackedKey);
      if (visible) this.#tracker.reads.add(toHex(entry.codeKey));
    }
    return visible;
  }

  #trackCodeHash(entry: AccountEntry): void {
    const reads = this.#tracker!.reads;
    reads.add(entry.trackedKey);
    if (!entry.exists) return;
    reads.add(toHex(entry.markerKey));
    if (this.#marker(entry)) reads.add(toHex(entry.codeKey));
  }

  #cell(entry: AccountEntry, slot: bigint): Cell {
    return entry.cells.get(slot) ?? this.#loadCell(entry, slot);
  }

  #loadCell(entry: AccountEntry, slot: bigint): Cell {
    const cell = new Cell(slot);
    if (!entry.wiped) cell.bytes = this.#base.get(cell.key(entry));
    entry.addCell(cell);
    return cell;
  }

  /** Creates the account if absent; returns whether it existed. Tracks the existence check. */
  #ensureExists(entry: AccountEntry): boolean {
    if (this.#tracker !== undefined) this.#tracker.reads.add(entry.trackedKey);
    if (entry.exists) return true;
    this.#recordChange(entry);
    entry.exists = true;
    return false;
  }

  #mark(entry: AccountEntry): void {
    if (this.#tracker !== undefined) this.#tracker.writes.add(toHex(entry.markerKey));
    if (this.#marker(entry)) return;
    this.#touch(entry);
    this.#undo.push(new MarkerUndo(entry));
    entry.marker = true;
    entry.markerDirty = true;
  }

  #recordChange(entry: AccountEntry): void {
    if (this.#tracker !== undefined) this.#tracker.writes.add(entry.trackedKey);
    this.#touch(entry);
    this.#undo.push(new RecordUndo(entry));
    entry.recordDirty = true;
  }

  #cellChange(entry: AccountEntry, cell: Cell): void {
    this.#touch(entry);
    this.#undo.push(new CellUndo(entry, cell));
    entry.markDirty(cell);
  }

  #touch(entry: AccountEntry): void {
    if (entry.dirty) return;
    entry.dirty = true;
    this.#changed.push(entry);
  }

  /** Marks an entry as unchanged. */
  #settle(entry: AccountEntry): void {
    entry.settleCells();
    entry.dirty = entry.recordDirty = entry.markerDirty = entry.codeDirty = entry.codeWritten = false;
    if (entry.wiped) this.#forget(entry);
  }

  /** Drops an entry whose cached absent values relied on a subtree that has now been removed. */
  #forget(entry: AccountEntry): void {
    this.#accounts.delete(toHex(entry.address));
    this.#recent[entry.address[entry.address.length - 1]!] = undefined;
  }
}

/** Adds the changes of an account. */
function addChanges(entry: AccountEntry, changes: StateChange[]): void {
  if (entry.wiped) changes.push({ key: entry.key, value: undefined, isPrefix: true });
  if (entry.recordDirty) changes.push({ key: entry.key, value: entry.record });
  if (entry.markerDirty) changes.push({ key: entry.markerKey, value: entry.marker === true ? MARKER : undefined });
  if (entry.codeDirty && entry.code !== undefined) changes.push({ key: entry.codeKey, value: entry.code });
  for (const cell of entry.dirtyCells) changes.push({ key: cell.key(entry), value: cell.bytes });
}

/** Compares bytes, not references, because a caller may reuse its array. */
function sameAddress(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false;
  return true;
}
