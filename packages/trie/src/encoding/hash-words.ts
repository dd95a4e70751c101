import { keccak256OfInput, keccak256View } from "@cambium/primitives";

/**
 * An optional hash as eight numbers in the object itself. An array for each node's hash would be three heap objects,
 * more than the rest of the node. Each encoding of a parent would also access distant memory.
 */
export class HashWords {
  private isHashed = false;
  private h0 = 0;
  private h1 = 0;
  private h2 = 0;
  private h3 = 0;
  private h4 = 0;
  private h5 = 0;
  private h6 = 0;
  private h7 = 0;

  get hasHash(): boolean {
    return this.isHashed;
  }

  /** Returns a copy of the bytes. */
  get hash(): Uint8Array | undefined {
    if (!this.isHashed) return undefined;
    const out = new Uint8Array(32);
    this.writeHash(out, 0);
    return out;
  }

  set hash(bytes: Uint8Array | undefined) {
    if (bytes === undefined) this.isHashed = false;
    // Bytes that are not 32 long cannot be a hash; they become all zeros, which no content has.
    else this.setHashAt(bytes.length === NO_HASH.length ? bytes : NO_HASH, 0);
  }

  /** Whether the hash is known and has these bytes. */
  isHash(bytes: Uint8Array): boolean {
    return (
      this.isHashed &&
      bytes.length === NO_HASH.length &&
      this.h0 === readWord(bytes, 0) &&
      this.h1 === readWord(bytes, 4) &&
      this.h2 === readWord(bytes, 8) &&
      this.h3 === readWord(bytes, 12) &&
      this.h4 === readWord(bytes, 16) &&
      this.h5 === readWord(bytes, 20) &&
      this.h6 === readWord(bytes, 24) &&
      this.h7 === readWord(bytes, 28)
    );
  }

  /** Sets the hash to 32 bytes of an array. */
  setHashAt(bytes: Uint8Array, offset: number): void {
    this.isHashed = true;
    this.h0 = readWord(bytes, offset);
    this.h1 = readWord(bytes, offset + 4);
    this.h2 = readWord(bytes, offset + 8);
    this.h3 = readWord(bytes, offset + 12);
    this.h4 = readWord(bytes, offset + 16);
    this.h5 = readWord(bytes, offset + 20);
    this.h6 = readWord(bytes, offset + 24);
    this.h7 = readWord(bytes, offset + 28);
  }

  /** Sets the hash to the Keccak-256 of `data`. */
  setHashOf(data: Uint8Array): void {
    this.take(keccak256View(data));
  }

  /** Sets the hash to the Keccak-256 of this number of bytes of `KECCAK_INPUT`. */
  setHashOfInput(length: number): void {
    this.take(keccak256OfInput(length));
  }

  copyHash(other: HashWords): void {
    this.isHashed = other.isHashed;
    this.h0 = other.h0;
    this.h1 = other.h1;
    this.h2 = other.h2;
    this.h3 = other.h3;
    this.h4 = other.h4;
    this.h5 = other.h5;
    this.h6 = other.h6;
    this.h7 = other.h7;
  }

  writeHash(out: Uint8Array, offset: number): void {
    writeWord(out, offset, this.h0);
    writeWord(out, offset + 4, this.h1);
    writeWord(out, offset + 8, this.h2);
    writeWord(out, offset + 12, this.h3);
    writeWord(out, offset + 16, this.h4);
    writeWord(out, offset + 20, this.h5);
    writeWord(out, offset + 24, this.h6);
    writeWord(out, offset + 28, this.h7);
  }

  private take(words: DataView): void {
    this.isHashed = true;
    this.h0 = words.getInt32(0);
    this.h1 = words.getInt32(4);
    this.h2 = words.getInt32(8);
    this.h3 = words.getInt32(12);
    this.h4 = words.getInt32(16);
    this.h5 = words.getInt32(20);
    this.h6 = words.getInt32(24);
    this.h7 = words.getInt32(28);
  }
}

const NO_HASH = new Uint8Array(32);

function readWord(bytes: Uint8Array, offset: number): number {
  return (bytes[offset]! << 24) | (bytes[offset + 1]! << 16) | (bytes[offset + 2]! << 8) | bytes[offset + 3]!;
}

function writeWord(out: Uint8Array, offset: number, word: number): void {
  out[offset] = word >> 24;
  out[offset + 1] = word >> 16;
  out[offset + 2] = word >> 8;
  out[offset + 3] = word;
}
