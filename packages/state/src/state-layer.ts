import { toHex } from "@cambium/primitives";
import { type AccountEntry, Cell } from "./account-entry.js";

/** What a working state has changed, as plain data: accounts in the order in which they were first changed. */
export type StateLayer = readonly AccountLayer[];

/** What has changed of an account. Parts that are undefined were not written. */
export interface AccountLayer {
  /** Lower-case hex. */
  address: string;
  /** Whether the account was deleted, with all its cells, before what else is here. */
  isWiped: boolean;
  record: { exists: boolean; nonce: bigint; balance: bigint; flags: number } | undefined;
  marker: boolean | undefined;
  /** `isWritten`: see `AccountEntry.codeWritten`. */
  code: { bytes: Uint8Array; isWritten: boolean } | undefined;
  /** `raw`: see `Cell.raw`. */
  cells: readonly { slot: bigint; word: bigint; raw: Uint8Array | undefined }[];
}

/** Bytes are copied: a view would be sent to a thread with the whole memory behind it. */
export function accountLayer(entry: AccountEntry): AccountLayer {
  const { exists, nonce, balance, flags, code } = entry;
  return {
    address: toHex(entry.address),
    isWiped: entry.wiped,
    record: entry.recordDirty ? { exists, nonce, balance, flags } : undefined,
    marker: entry.markerDirty ? entry.marker === true : undefined,
    code:
      entry.codeDirty && code !== undefined
        ? { bytes: Uint8Array.from(code), isWritten: entry.codeWritten }
        : undefined,
    cells: entry.dirtyCells.map(({ slot, word, raw }) => ({ slot, word, raw: raw && Uint8Array.from(raw) })),
  };
}

/** Makes the changes of a layer in an entry, in which none of these values may have changed. */
export function applyLayer(entry: AccountEntry, { isWiped, record, marker, code, cells }: AccountLayer): void {
  if (isWiped) entry.wipe();
  if (record !== undefined) {
    Object.assign(entry, record);
    entry.loaded = entry.recordDirty = true;
  }
  if (marker !== undefined) {
    entry.marker = marker;
    entry.markerDirty = true;
  }
  if (code !== undefined) {
    entry.code = code.bytes;
    entry.codeSize = code.bytes.length;
    entry.codeHash = undefined;
    entry.codeWritten = code.isWritten;
    entry.codeDirty = true;
  }
  for (const { slot, word, raw } of cells) {
    const cell = entry.cells.get(slot) ?? new Cell(slot);
    cell.word = word;
    cell.raw = raw;
    entry.markDirty(cell);
    entry.addCell(cell);
  }
}
