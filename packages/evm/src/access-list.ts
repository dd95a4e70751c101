import { toHex } from "@cambium/primitives";

// Accounts and cells that a transaction has accessed: RSKIP-555, spec/04 §3.8.

/** Warm accounts and cells of a transaction, shared by all its frames. */
export class AccessList {
  private readonly warm: Set<string>;
  /** Accounts and cells that became warm, in order. */
  private readonly added: string[] = [];
  /** The length of {@link added} when the last frame of each depth was opened. */
  private readonly starts: number[] = [];
  /** Values of cells before their first change. No frame's failure changes them. */
  private readonly originals = new Map<string, bigint>();

  /** Begins with these accounts, in lower-case hex. */
  constructor(accounts: Iterable<string>) {
    this.warm = new Set(accounts);
  }

  /** Begins a frame. */
  open(depth: number): void {
    this.starts[depth] = this.added.length;
  }

  /** Makes cold again all accounts and cells that became warm in the last frame of this depth and its calls. */
  undo(depth: number): void {
    for (const key of this.added.splice(this.starts[depth]!)) this.warm.delete(key);
  }

  /** Makes an account warm; returns whether it was cold. */
  touchAccount(address: Uint8Array): boolean {
    return this.touch(toHex(address));
  }

  /** Makes a cell warm; returns whether it was cold. */
  touchCell(address: Uint8Array, slot: bigint): boolean {
    return this.touch(cellKey(address, slot));
  }

  /** Value of a cell at the start of the transaction; `current` if this is the first change. */
  originalOf(address: Uint8Array, slot: bigint, current: bigint): bigint {
    const key = cellKey(address, slot);
    const original = this.originals.get(key);
    if (original === undefined) this.originals.set(key, current);
    return original ?? current;
  }

  private touch(key: string): boolean {
    if (this.warm.has(key)) return false;
    this.warm.add(key);
    this.added.push(key);
    return true;
  }
}

function cellKey(address: Uint8Array, slot: bigint): string {
  return `${toHex(address)}${slot.toString(16)}`;
}
