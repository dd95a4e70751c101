/** Reads the integers and byte strings of LevelDB's files. Throws `RangeError` at the end of the bytes. */
export class VarintReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get hasMore(): boolean {
    return this.at < this.bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || factor > 2 ** 63) throw new RangeError("malformed integer");
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  slice(length: number): Uint8Array {
    if (this.at + length > this.bytes.length) throw new RangeError("malformed byte string");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** A byte string after its length. */
  prefixed(): Uint8Array {
    return this.slice(this.number());
  }
}

/** The bytes of an integer. */
export function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
