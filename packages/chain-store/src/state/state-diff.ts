import { numberKey } from "@cambium/database";
import { equalBytes, joinBytes } from "@cambium/primitives";
import { ChainError } from "../errors.js";

/*
 * An entry of a list of keys, each with bytes or without. The diff of a block of the best chain has the records
 * (`flat-record.ts`) that the block has replaced; the diff of any other block has the values that it has set.
 *
 * Encoding of an entry: length of the key (1 byte), length of the bytes plus one (4 bytes, big-endian), 0 for none;
 * then the key and the bytes.
 */
export interface DiffEntry {
  readonly key: Uint8Array;
  readonly bytes: Uint8Array | undefined;
}

const HEAD = 5;

export function encodeDiff(entries: readonly DiffEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { key, bytes } of entries) {
    const length = bytes === undefined ? 0 : bytes.length + 1;
    parts.push(Uint8Array.of(key.length, length >> 24, length >> 16, length >> 8, length), key);
    if (bytes !== undefined) parts.push(bytes);
  }
  return joinBytes(parts);
}

/**
 * Yields the entries in the order in which they were encoded; keys and bytes are views. Throws {@link ChainError}
 * `DATABASE_DAMAGED`.
 */
export function* decodeDiff(diff: Uint8Array, number: number): Generator<DiffEntry> {
  for (let at = 0; at < diff.length; ) {
    const { keyEnd, end, isAbsent } = entryAt(diff, at, number);
    yield { key: diff.subarray(at + HEAD, keyEnd), bytes: isAbsent ? undefined : diff.subarray(keyEnd, end) };
    at = end;
  }
}

/** The entry of a key; undefined if there is none. Throws {@link ChainError} `DATABASE_DAMAGED`. */
export function findInDiff(diff: Uint8Array, key: Uint8Array, number: number): DiffEntry | undefined {
  for (let at = 0; at < diff.length; ) {
    const { keyEnd, end, isAbsent } = entryAt(diff, at, number);
    // The last bytes differ most often.
    if (
      diff[at] === key.length &&
      diff[keyEnd - 1] === key[key.length - 1] &&
      equalBytes(diff.subarray(at + HEAD, keyEnd), key)
    ) {
      return { key, bytes: isAbsent ? undefined : diff.subarray(keyEnd, end) };
    }
    at = end;
  }
  return undefined;
}

function entryAt(diff: Uint8Array, at: number, number: number): { keyEnd: number; end: number; isAbsent: boolean } {
  const length = ((diff[at + 1]! << 24) | (diff[at + 2]! << 16) | (diff[at + 3]! << 8) | diff[at + 4]!) >>> 0;
  const keyEnd = at + HEAD + diff[at]!;
  const end = keyEnd + Math.max(length - 1, 0);
  if (at + HEAD > diff.length || end > diff.length) {
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "state history", key: numberKey(number) });
  }
  return { keyEnd, end, isAbsent: length === 0 };
}
