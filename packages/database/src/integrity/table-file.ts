import type { Crc32c } from "./checksums.js";
import { decompressSnappy } from "./snappy.js";
import { VarintReader, varint } from "./varint.js";

const FOOTER_BYTES = 48;
const MAGIC = 0xdb4775248b80fb57n;
/** Compression type and checksum, after each block. */
const TRAILER_BYTES = 5;
const SNAPPY = 1;
/** A block without entries, and the type of an uncompressed one: one restart, at offset 0. */
const EMPTY_BLOCK = Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0, 0);

/** The parts of a table file whose checksums are wrong. */
export interface TableDamage {
  /** Offsets of the bytes that name the compression of damaged blocks of entries. */
  typeOffsets: number[];
  /** Whether the filter, or the block that refers to it, is damaged. */
  isFilterDamaged: boolean;
}

interface Handle {
  offset: number;
  size: number;
}

/**
 * Verifies every block of a table file, which LevelDB does not when it reads. Throws an error with the reason if the
 * blocks cannot be found: the footer or the index is damaged.
 */
export function tableDamage(file: Uint8Array, crc: Crc32c): TableDamage {
  const { metaindex, index } = readFooter(file);
  const damaged = indexEntries(content(file, index, crc)).filter((handle) => !isIntact(file, handle, crc));
  return {
    typeOffsets: damaged.map(({ offset, size }) => offset + size),
    isFilterDamaged: !hasIntactFilter(file, metaindex, crc),
  };
}

/**
 * A table file with the same entries and no filter, which LevelDB can do without. Throws `RangeError` if the footer is
 * damaged.
 */
export function withoutFilter(file: Uint8Array, crc: Crc32c): Uint8Array {
  const { index } = readFooter(file);
  const blocks = file.subarray(0, file.length - FOOTER_BYTES);
  const metaindex = { offset: blocks.length, size: EMPTY_BLOCK.length - 1 };
  const trailer = Buffer.alloc(4);
  trailer.writeUInt32LE(crc.of(EMPTY_BLOCK));
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.set([...handleBytes(metaindex), ...handleBytes(index)]);
  footer.writeBigUInt64LE(MAGIC, FOOTER_BYTES - 8);
  return Buffer.concat([blocks, EMPTY_BLOCK, trailer, footer]);
}

function readFooter(file: Uint8Array): { metaindex: Handle; index: Handle } {
  const start = file.length - FOOTER_BYTES;
  if (start < 0) throw new RangeError("it has no footer");
  const magic = new DataView(file.buffer, file.byteOffset + file.length - 8).getBigUint64(0, true);
  if (magic !== MAGIC) throw new RangeError("its footer is damaged");
  const reader = new VarintReader(file.subarray(start));
  return { metaindex: readHandle(reader), index: readHandle(reader) };
}

function readHandle(reader: VarintReader): Handle {
  return { offset: reader.number(), size: reader.number() };
}

function handleBytes({ offset, size }: Handle): number[] {
  return [...varint(offset), ...varint(size)];
}

function isIntact(file: Uint8Array, { offset, size }: Handle, crc: Crc32c): boolean {
  const end = offset + size;
  if (end + TRAILER_BYTES > file.length) return false;
  const stored = new DataView(file.buffer, file.byteOffset + end + 1).getUint32(0, true);
  return crc.matches(file.subarray(offset, end + 1), stored);
}

function content(file: Uint8Array, handle: Handle, crc: Crc32c): Uint8Array {
  if (!isIntact(file, handle, crc)) throw new RangeError("its index is damaged");
  const end = handle.offset + handle.size;
  const stored = file.subarray(handle.offset, end);
  return file[end] === SNAPPY ? decompressSnappy(stored) : stored;
}

function hasIntactFilter(file: Uint8Array, metaindex: Handle, crc: Crc32c): boolean {
  try {
    return indexEntries(content(file, metaindex, crc)).every((handle) => isIntact(file, handle, crc));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The values of a block of handles: entries, then the offsets of restarts and their number. */
function indexEntries(block: Uint8Array): Handle[] {
  if (block.length < 4) throw new RangeError("its index is damaged");
  const restarts = new DataView(block.buffer, block.byteOffset + block.length - 4).getUint32(0, true);
  const reader = new VarintReader(block.subarray(0, Math.max(block.length - 4 * (restarts + 1), 0)));
  const handles: Handle[] = [];
  while (reader.hasMore) {
    reader.number();
    const [unshared, length] = [reader.number(), reader.number()];
    reader.slice(unshared);
    handles.push(readHandle(new VarintReader(reader.slice(length))));
  }
  return handles;
}
