import { equalBytes } from "@cambium/primitives";

/** Number of cells whose values are kept: the lists of two federations before and after a change. */
const CAPACITY = 4;

/**
 * Values decoded from the cells that were read last. A call pays a few thousand gas however long a list is, so calls on
 * the same state share its decoded value. The key is the content of the cell, so a value is valid in every state. It
 * must not be changed.
 */
export class DecodedCells<T> {
  /** Latest first. */
  private readonly known: { cell: Uint8Array; value: Readonly<T> }[] = [];

  constructor(private readonly decode: (cell: Uint8Array) => T) {}

  /** Throws as the decoder does. */
  of(cell: Uint8Array): Readonly<T> {
    const { known } = this;
    let at = known.findIndex((entry) => entry.cell === cell);
    if (at < 0) at = known.findIndex((entry) => equalBytes(entry.cell, cell));
    const value = at < 0 ? Object.freeze(this.decode(cell)) : known[at]!.value;
    if (at >= 0) known.splice(at, 1);
    known.unshift({ cell, value });
    if (known.length > CAPACITY) known.pop();
    return value;
  }
}
