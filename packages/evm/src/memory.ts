import { allocateBytes, KECCAK_INPUT, keccak256OfInput, keccak256View } from "@cambium/primitives";
import { OUT_OF_GAS } from "./errors.js";
import type { GasSchedule } from "./gas-schedule.js";
import { readWord, type Word, writeWord } from "./words.js";

/** Largest memory of a frame, in bytes (`spec/04 §3.3`). */
export const MEMORY_LIMIT = 2 ** 30;
/**
 * Size in bytes above which a buffer is not kept for the next frame of the same depth. Otherwise a few blocks could
 * make each thread keep a megabyte for each of 400 depths.
 */
const KEPT_CAPACITY = 1 << 16;

const SHORT_INPUT = 128;
/** Sizes up to which the engine keeps an array on its own heap; a view of such an array would move it out. */
const FEW_BYTES = 64;
const keccakInput = new DataView(KECCAK_INPUT.buffer, KECCAK_INPUT.byteOffset, KECCAK_INPUT.length);

/** A frame's memory: grows in 32-byte words and is initially zero. */
export class Memory {
  bytes = new Uint8Array(1024);
  private view = new DataView(this.bytes.buffer);
  /** Current size in bytes, a multiple of 32; MSIZE pushes it. */
  size = 0;

  /** Empties the memory for the next frame that uses it. */
  reset(): void {
    if (this.bytes.length > KEPT_CAPACITY) this.replace(new Uint8Array(1024));
    else this.bytes.fill(0, 0, this.size);
    this.size = 0;
  }

  /** Frees a large buffer immediately when its frame ends. */
  release(): void {
    if (this.bytes.length > KEPT_CAPACITY) this.reset();
  }

  /** Gas for growing to `need` bytes, without growing. Throws out of gas if `need` exceeds the limit. */
  expansionGas(need: number, { memoryWord, memoryDivisor }: GasSchedule): number {
    if (need <= this.size) return 0;
    if (need > MEMORY_LIMIT) throw OUT_OF_GAS;
    const words = Math.ceil(need / 32);
    const old = this.size / 32;
    const squares = Math.floor((words * words) / memoryDivisor) - Math.floor((old * old) / memoryDivisor);
    return memoryWord * (words - old) + squares;
  }

  /** Makes at least `need` bytes accessible; the caller has charged the gas. */
  grow(need: number): void {
    if (need <= this.size) return;
    this.size = Math.ceil(need / 32) * 32;
    if (this.size <= this.bytes.length) return;
    const bigger = new Uint8Array(Math.max(this.size, Math.min(this.bytes.length * 2, MEMORY_LIMIT)));
    bigger.set(this.bytes);
    this.replace(bigger);
  }

  private replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
  }

  readWord(offset: number): Word {
    return readWord(this.view, offset);
  }

  writeWord(offset: number, word: Word): void {
    writeWord(this.view, offset, word);
  }

  /** Returns the Keccak-256 of a range. */
  hash(offset: number, size: number): Word {
    if (size === 0 || size > SHORT_INPUT || size % 4 !== 0) return readWord(keccak256View(this.peek(offset, size)), 0);
    this.grow(offset + size);
    // Slots of mappings: for so few bytes, a view of them would cost as much as this copy twice.
    for (let i = 0; i < size; i += 4) keccakInput.setUint32(i, this.view.getUint32(offset + i));
    return readWord(keccak256OfInput(size), 0);
  }

  /** Copies a range; grows the memory like every access. */
  read(offset: number, size: number): Uint8Array {
    if (size === 0) return new Uint8Array(0);
    this.grow(offset + size);
    if (size <= FEW_BYTES) return this.bytes.slice(offset, offset + size);
    const out = allocateBytes(size);
    out.set(this.bytes.subarray(offset, offset + size));
    return out;
  }

  /** A view of the range, valid until the memory changes or its frame ends. */
  peek(offset: number, size: number): Uint8Array {
    if (size === 0) return this.bytes.subarray(0, 0);
    this.grow(offset + size);
    return this.bytes.subarray(offset, offset + size);
  }

  /** Copies `size` bytes from `source` at `sourceOffset`; bytes beyond its end read as zero. */
  copyIn(offset: number, size: number, source: Uint8Array, sourceOffset: number): void {
    if (size === 0) return;
    this.grow(offset + size);
    const available = Math.max(0, Math.min(size, source.length - sourceOffset));
    if (available <= FEW_BYTES) {
      for (let i = 0; i < available; i++) this.bytes[offset + i] = source[sourceOffset + i]!;
    } else this.bytes.set(source.subarray(sourceOffset, sourceOffset + available), offset);
    if (available < size) this.bytes.fill(0, offset + available, offset + size);
  }
}

/** Returns the memory size that an access needs: 0 if `size` is 0, at any offset (`spec/04 §3.3`). */
export function memoryNeed(offset: number, size: number): number {
  return size === 0 ? 0 : offset + size;
}
