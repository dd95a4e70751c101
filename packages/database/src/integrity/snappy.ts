import { VarintReader } from "./varint.js";

/** A copy of 64 bytes takes three. */
const MAX_RATIO = 22;

/** Decompresses a Snappy block, the format of LevelDB's compressed blocks. Throws `RangeError` if it is malformed. */
export function decompressSnappy(bytes: Uint8Array): Uint8Array {
  const reader = new VarintReader(bytes);
  const length = reader.number();
  // Check before anything is allocated: a damaged length may be of gigabytes.
  if (length > MAX_RATIO * bytes.length) throw new RangeError("wrong length");
  const out = new Uint8Array(length);
  let at = 0;
  while (reader.hasMore) {
    const tag = reader.slice(1)[0]!;
    if ((tag & 3) === 0) {
      const literal = reader.slice(literalLength(tag >> 2, reader));
      out.set(literal, at);
      at += literal.length;
    } else {
      const { length, distance } = copyOf(tag, reader);
      if (distance === 0 || distance > at || at + length > out.length) throw new RangeError("malformed copy");
      for (const end = at + length; at < end; at++) out[at] = out[at - distance]!;
    }
  }
  if (at !== out.length) throw new RangeError("wrong length");
  return out;
}

function literalLength(short: number, reader: VarintReader): number {
  return 1 + (short < 60 ? short : littleEndian(reader.slice(short - 59)));
}

function copyOf(tag: number, reader: VarintReader): { length: number; distance: number } {
  if ((tag & 3) === 1) {
    return { length: 4 + ((tag >> 2) & 7), distance: ((tag >> 5) << 8) | reader.slice(1)[0]! };
  }
  return { length: 1 + (tag >> 2), distance: littleEndian(reader.slice((tag & 3) === 2 ? 2 : 4)) };
}

function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}
