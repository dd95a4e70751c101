import { writeUint32 } from "@cambium/database";
import { copyBytes, EMPTY_BYTES } from "@cambium/primitives";
import { ChainError } from "../errors.js";

/*
 * A record of the flat table: the value of a key in the newest state, and the blocks in which it has changed. When a
 * change replaces a record, the diff of the changing block keeps it (`state-diff.ts`). The versions of a value thus
 * form a list, from new to old: version n is in the diff of the block that made version n + 1.
 *
 * A search for an old version need not visit all between, because a version also refers to earlier blocks. These made
 * the versions whose indices result from its own index by clearing its lowest set bit, then the next one, and so on.
 *
 * Encoding: number of the block that made the version (4 bytes), index of the version, number of references, and the
 * distance of each one from the one before (variable lengths, seven bits a byte, low ones first); then the value.
 */
export interface FlatRecord {
  /** Number of the block that made this version. */
  readonly changed: number;
  /** Number of versions before this one. */
  readonly index: number;
  /** Numbers of blocks that made earlier versions, descending; those that are no longer needed are left out. */
  readonly earlier: readonly number[];
  /** Empty if the key has no value. */
  readonly value: Uint8Array;
}

/** The record after a block changes a value. References to blocks up to `oldest` are dropped. */
export function nextRecord(
  before: FlatRecord | undefined,
  number: number,
  value: Uint8Array | undefined,
  oldest: number,
): FlatRecord {
  const content = value ?? EMPTY_BYTES;
  if (before === undefined) return { changed: number, index: 0, earlier: [], value: content };
  const { index, changed } = before;
  const trailingOnes = 31 - Math.clz32(~index & (index + 1));
  const all = trailingOnes === 0 ? [changed, ...before.earlier] : before.earlier.slice(trailingOnes - 1);
  return { changed: number, index: index + 1, earlier: all.filter((one) => one > oldest), value: content };
}

/** Returns the earliest block above `number` among those that a record refers to and the one that made it. */
export function earliestAbove(record: FlatRecord, number: number): number {
  let found = record.changed;
  for (const earlier of record.earlier) {
    if (earlier <= number) break;
    found = earlier;
  }
  return found;
}

export function encodeRecord(record: FlatRecord): Uint8Array {
  const { changed, value } = record;
  const history = historyOf(record);
  const out = new Uint8Array(4 + history.length + value.length);
  writeUint32(out, 0, changed);
  for (let i = 0; i < history.length; i++) out[4 + i] = history[i]!;
  out.set(value, 4 + history.length);
  return out;
}

/** Most values have changed once: no references. */
const NO_HISTORY = [0, 0];

/** Encodes the index of a version and its references. */
function historyOf({ changed, index, earlier }: FlatRecord): readonly number[] {
  if (index === 0 && earlier.length === 0) return NO_HISTORY;
  const history: number[] = [];
  pushVarint(history, index);
  pushVarint(history, earlier.length);
  let last = changed;
  for (const number of earlier) {
    pushVarint(history, last - number);
    last = number;
  }
  return history;
}

/** Inverse of {@link encodeRecord}; the value is a copy. Throws {@link ChainError} `DATABASE_DAMAGED`. */
export function decodeRecord(bytes: Uint8Array, key: Uint8Array): FlatRecord {
  if (bytes.length < 6) throw damaged(key);
  const changed = ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!) >>> 0;
  if (bytes[4] === 0 && bytes[5] === 0) return { changed, index: 0, earlier: [], value: copyBytes(bytes, 6) };
  const reader = new VarintReader(bytes, 4, key);
  const index = reader.next();
  const count = reader.next();
  const earlier: number[] = [];
  let last = changed;
  for (let i = 0; i < count; i++) {
    last -= reader.next();
    earlier.push(last);
  }
  return { changed, index, earlier, value: copyBytes(bytes, reader.at) };
}

function pushVarint(out: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push((rest & 0x7f) | 0x80);
  out.push(rest);
}

/** Reads numbers of seven bits a byte. */
class VarintReader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
    private readonly key: Uint8Array,
  ) {}

  next(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 42; factor *= 0x80) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw damaged(this.key);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw damaged(this.key);
  }
}

function damaged(key: Uint8Array): ChainError {
  return new ChainError({ code: "DATABASE_DAMAGED", what: "value of the state", key });
}
