import { BridgeError } from "../errors.js";

/** Reads a parent-chain structure. Throws {@link BridgeError} `PARENT_TRANSACTION` at the end of the data. */
export class ByteReader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly data: Uint8Array) {
    this.view = new DataView(data.buffer, data.byteOffset, data.length);
  }

  /** The next bytes, as a view of the data. */
  bytes(length: number): Uint8Array {
    const start = this.take(length);
    return this.data.subarray(start, start + length);
  }

  byte(): number {
    return this.data[this.take(1)]!;
  }

  uint32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  int64(): bigint {
    return this.view.getBigInt64(this.take(8), true);
  }

  /** A variable-length integer as an unsigned 64-bit number; longer forms than necessary are accepted. */
  variable(): bigint {
    const first = this.byte();
    if (first < 0xfd) return BigInt(first);
    if (first === 0xfd) return BigInt(this.view.getUint16(this.take(2), true));
    if (first === 0xfe) return BigInt(this.uint32());
    return this.view.getBigUint64(this.take(8), true);
  }

  /** A count or length. The deployed client truncates it to 32 bits, and a negative one is an error. */
  count(): number {
    const value = Number(BigInt.asIntN(32, this.variable()));
    if (value < 0) throw malformed(this.at);
    return value;
  }

  /**
   * The count of a list, a signed 64-bit number. A negative count means an empty list, but a negative low half is an
   * error. If there are fewer items than counted, reading them fails at the end of the data.
   */
  items(): number {
    const value = BigInt.asIntN(64, this.variable());
    if (BigInt.asIntN(32, value) < 0n) throw malformed(this.at);
    return value < 0n ? 0 : Number(value);
  }

  private take(length: number): number {
    const start = this.at;
    if (start + length > this.data.length) throw malformed(start);
    this.at = start + length;
    return start;
  }
}

function malformed(offset: number): BridgeError {
  return new BridgeError({ code: "PARENT_TRANSACTION", reason: `malformed at byte ${offset}` });
}
