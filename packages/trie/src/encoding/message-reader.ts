import { copyBytes, EMPTY_BYTES } from "@cambium/primitives";
import { TrieError } from "../errors.js";
import { unpackBits } from "./bits.js";
import { compactSizeLength } from "./compact-size.js";
import type { HashWords } from "./hash-words.js";

/**
 * Reads the parts of a node message in order. Throws {@link TrieError} `MALFORMED_NODE` if a part is missing or
 * malformed.
 */
export class MessageReader {
  private offset = 0;

  constructor(private readonly message: Uint8Array) {}

  /** Number of bytes that were not read. */
  get left(): number {
    return this.message.length - this.offset;
  }

  byte(): number {
    const byte = this.message[this.offset];
    if (byte === undefined) throw truncated();
    this.offset++;
    return byte;
  }

  bytes(length: number): Uint8Array {
    const end = this.offset + length;
    if (end > this.message.length) throw truncated();
    const bytes = this.message.subarray(this.offset, end);
    this.offset = end;
    return bytes;
  }

  /** Skips bytes; returns their position. */
  skip(length: number): number {
    const at = this.offset;
    if (length > this.left) throw truncated();
    this.offset = at + length;
    return at;
  }

  /** Reads 32 bytes as a hash. */
  hash(target: HashWords): void {
    const end = this.offset + 32;
    if (end > this.message.length) throw truncated();
    target.setHashAt(this.message, this.offset);
    this.offset = end;
  }

  /** Returns a copy of the rest, so that the message need not be kept. */
  rest(): Uint8Array {
    const bytes = copyBytes(this.message, this.offset);
    this.offset = this.message.length;
    return bytes;
  }

  end(): void {
    if (this.offset !== this.message.length) {
      throw new TrieError({ code: "MALFORMED_NODE", reason: "trailing bytes" });
    }
  }

  /** Reads `bits` packed bits with zero padding, aligned for a path that starts at `start`. */
  packedPath(bits: number, start: number): Uint8Array {
    if (bits === 0) return EMPTY_BYTES;
    const packed = this.bytes(Math.ceil(bits / 8));
    const used = bits & 7;
    if (used !== 0 && (packed[packed.length - 1]! & (0xff >> used)) !== 0) {
      throw new TrieError({ code: "MALFORMED_NODE", reason: "path padding" });
    }
    return unpackBits(packed, 0, start, bits);
  }

  /** Reads a compact-size integer in its shortest form. */
  compactSize(): number {
    const first = this.byte();
    if (first < 0xfd) return first;
    const length = first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
    let value = 0;
    let unit = 1;
    for (let i = 0; i < length; i++, unit *= 256) value += this.byte() * unit;
    if (!Number.isSafeInteger(value) || compactSizeLength(value) !== length + 1) {
      throw new TrieError({ code: "MALFORMED_NODE", reason: "compact size" });
    }
    return value;
  }
}

function truncated(): TrieError {
  return new TrieError({ code: "MALFORMED_NODE", reason: "truncated" });
}
