import type { AccountEntry, Cell } from "./account-entry.js";

/** A reversible change. It holds the previous values, and whether they were to be written. */
export interface Undo {
  undo(): void;
}

export class RecordUndo implements Undo {
  readonly #exists: boolean;
  readonly #nonce: bigint;
  readonly #balance: bigint;
  readonly #flags: number;
  readonly #isDirty: boolean;

  constructor(readonly entry: AccountEntry) {
    this.#exists = entry.exists;
    this.#nonce = entry.nonce;
    this.#balance = entry.balance;
    this.#flags = entry.flags;
    this.#isDirty = entry.recordDirty;
  }

  undo(): void {
    this.entry.exists = this.#exists;
    this.entry.nonce = this.#nonce;
    this.entry.balance = this.#balance;
    this.entry.flags = this.#flags;
    this.entry.recordDirty = this.#isDirty;
  }
}

export class MarkerUndo implements Undo {
  readonly #marker: boolean | undefined;
  readonly #isDirty: boolean;

  constructor(readonly entry: AccountEntry) {
    this.#marker = entry.marker;
    this.#isDirty = entry.markerDirty;
  }

  undo(): void {
    this.entry.marker = this.#marker;
    this.entry.markerDirty = this.#isDirty;
  }
}

export class CodeUndo implements Undo {
  readonly #code: Uint8Array | undefined;
  readonly #codeSize: number;
  readonly #codeHash: Uint8Array | undefined;
  readonly #codeWritten: boolean;
  readonly #isDirty: boolean;

  constructor(readonly entry: AccountEntry) {
    this.#code = entry.code;
    this.#codeSize = entry.codeSize;
    this.#codeHash = entry.codeHash;
    this.#codeWritten = entry.codeWritten;
    this.#isDirty = entry.codeDirty;
  }

  undo(): void {
    this.entry.code = this.#code;
    this.entry.codeSize = this.#codeSize;
    this.entry.codeHash = this.#codeHash;
    this.entry.codeWritten = this.#codeWritten;
    this.entry.codeDirty = this.#isDirty;
  }
}

export class CellUndo implements Undo {
  readonly #word: bigint;
  readonly #raw: Uint8Array | undefined;
  readonly #isDirty: boolean;

  constructor(
    readonly entry: AccountEntry,
    readonly cell: Cell,
  ) {
    this.#word = cell.word;
    this.#raw = cell.raw;
    this.#isDirty = cell.dirty;
  }

  undo(): void {
    this.cell.word = this.#word;
    this.cell.raw = this.#raw;
    if (!this.#isDirty) this.entry.unmarkLastDirty(this.cell);
  }
}

/** Everything about an account before its deletion. */
export class WipeUndo implements Undo {
  readonly #record: RecordUndo;
  readonly #marker: MarkerUndo;
  readonly #code: CodeUndo;
  readonly #wiped: boolean;
  readonly #cells: ReadonlyMap<bigint, Cell>;
  readonly #dirtyCells: readonly Cell[];

  constructor(readonly entry: AccountEntry) {
    this.#record = new RecordUndo(entry);
    this.#marker = new MarkerUndo(entry);
    this.#code = new CodeUndo(entry);
    this.#wiped = entry.wiped;
    this.#cells = entry.cells;
    this.#dirtyCells = entry.dirtyCells;
  }

  undo(): void {
    this.#record.undo();
    this.#marker.undo();
    this.#code.undo();
    this.entry.wiped = this.#wiped;
    this.entry.cells = this.#cells;
    this.entry.dirtyCells = this.#dirtyCells;
  }
}

/** Cells of transient storage by account. */
export type TransientCells = Map<AccountEntry, Map<bigint, bigint>>;

export class TransientUndo implements Undo {
  constructor(
    readonly cells: Map<bigint, bigint>,
    readonly slot: bigint,
    readonly value: bigint | undefined,
  ) {}

  undo(): void {
    if (this.value === undefined) this.cells.delete(this.slot);
    else this.cells.set(this.slot, this.value);
  }
}

export class TransientClearUndo implements Undo {
  constructor(
    readonly restore: (cells: TransientCells) => void,
    readonly cells: TransientCells,
  ) {}

  undo(): void {
    this.restore(this.cells);
  }
}
