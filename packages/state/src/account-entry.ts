import { bigintToBytes, EMPTY_BYTES, toHex } from "@cambium/primitives";
import { encodeAccount } from "./account.js";
import { unsignedBigint } from "./big-endian.js";
import { accountKey, codeKey, markerKey, slotKey } from "./keys.js";

const WORD_LENGTH = 32;

/** One storage cell in the working copy. */
export class Cell {
  /** Value as a word, unless {@link raw} is set. */
  word = 0n;
  /** Stored bytes of a cell that is not a word in its shortest form; only native contracts write such cells. */
  raw: Uint8Array | undefined = undefined;
  /** Whether the cell must be written at the next commit. */
  dirty = false;
  #trackedKey: string | undefined;

  constructor(readonly slot: bigint) {}

  /**
   * Returns the key in the state trie. It is not kept: most cells are only read, and many keys would fill the memory.
   */
  key(account: AccountEntry): Uint8Array {
    return slotKey(account.key, this.slot);
  }

  /** Returns the key in the form of `KeyTracker`. Kept, so that sets find the hash of the string in it. */
  trackedKey(account: AccountEntry): string {
    this.#trackedKey ??= toHex(this.key(account));
    return this.#trackedKey;
  }

  /** Bytes as stored, undefined if the cell is absent. */
  get bytes(): Uint8Array | undefined {
    if (this.raw !== undefined) return this.raw;
    return this.word === 0n ? undefined : bigintToBytes(this.word);
  }

  set bytes(value: Uint8Array | undefined) {
    const isWord = value === undefined || value.length === 0 || (value.length <= WORD_LENGTH && value[0] !== 0);
    this.word = isWord && value !== undefined ? unsignedBigint(value, 0, value.length) : 0n;
    this.raw = isWord ? undefined : value;
  }
}

/** Shared by the many accounts whose cells are not used. */
const NO_CELLS: ReadonlyMap<bigint, Cell> = new Map();
const NO_DIRTY_CELLS: readonly Cell[] = [];

/** One account in the working copy: its known values, and its differences from the trie. */
export class AccountEntry {
  readonly address: Uint8Array;
  /** Key of the record in the state trie. */
  readonly key: Uint8Array;
  #trackedKey: string | undefined;
  #markerKey: Uint8Array | undefined;
  #codeKey: Uint8Array | undefined;

  /** Whether the account record has been read. */
  loaded = false;
  exists = false;
  nonce = 0n;
  balance = 0n;
  flags = 0;
  /** Whether the account has the storage marker; undefined until it is read. */
  marker: boolean | undefined = undefined;
  /** The code; undefined until it is read. */
  code: Uint8Array | undefined = undefined;
  codeSize = -1;
  /** Hash of non-empty code, cached when first requested. */
  codeHash: Uint8Array | undefined = undefined;
  /**
   * Whether code, possibly empty, was written since the last commit; EXTCODEHASH can see that (`spec/04 §3.5`, case 5).
   */
  codeWritten = false;
  /** Cells that were read or written; {@link addCell} adds to them. */
  cells: ReadonlyMap<bigint, Cell> = NO_CELLS;
  /** Whether the account's subtree was deleted: it is not read, and is removed before the next writes. */
  wiped = false;

  // Flags for the next commit. Reverting a change clears its flag, but not {@link dirty}.
  dirty = false;
  recordDirty = false;
  markerDirty = false;
  codeDirty = false;
  dirtyCells: readonly Cell[] = NO_DIRTY_CELLS;

  constructor(address: Uint8Array) {
    this.address = address.slice();
    this.key = accountKey(this.address);
  }

  /** Returns {@link key} in the form of `KeyTracker`. Kept, so that sets find the hash of the string in it. */
  get trackedKey(): string {
    this.#trackedKey ??= toHex(this.key);
    return this.#trackedKey;
  }

  get markerKey(): Uint8Array {
    this.#markerKey ??= markerKey(this.key);
    return this.#markerKey;
  }

  get codeKey(): Uint8Array {
    this.#codeKey ??= codeKey(this.key);
    return this.#codeKey;
  }

  get record(): Uint8Array | undefined {
    return this.exists ? encodeAccount(this) : undefined;
  }

  addCell(cell: Cell): void {
    if (this.cells === NO_CELLS) this.cells = new Map();
    (this.cells as Map<bigint, Cell>).set(cell.slot, cell);
  }

  /** Records that a cell must be written at the next commit. */
  markDirty(cell: Cell): void {
    if (cell.dirty) return;
    cell.dirty = true;
    if (this.dirtyCells === NO_DIRTY_CELLS) this.dirtyCells = [];
    (this.dirtyCells as Cell[]).push(cell);
  }

  /** Reverts {@link markDirty}. Changes are reverted in reverse order, so the cell is the last one that was marked. */
  unmarkLastDirty(cell: Cell): void {
    cell.dirty = false;
    (this.dirtyCells as Cell[]).pop();
  }

  /** Records that all cells are written. */
  settleCells(): void {
    for (const cell of this.dirtyCells) cell.dirty = false;
    this.dirtyCells = NO_DIRTY_CELLS;
  }

  /** Removes the account with its code, marker and cells. */
  wipe(): void {
    this.exists = false;
    this.nonce = 0n;
    this.balance = 0n;
    this.flags = 0;
    this.recordDirty = true;
    this.marker = false;
    this.markerDirty = false;
    this.code = EMPTY_BYTES;
    this.codeSize = 0;
    this.codeHash = undefined;
    this.codeWritten = false;
    this.codeDirty = false;
    this.cells = NO_CELLS;
    this.dirtyCells = NO_DIRTY_CELLS;
    this.wiped = true;
  }
}
