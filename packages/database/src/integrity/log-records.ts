import type { Crc32c } from "./checksums.js";

const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;

/** Types of fragments; a record is one full fragment, or a first, any number of middle ones and a last one. */
const FULL = 1;
const FIRST = 2;
const LAST = 4;

/** A record of a file in LevelDB's log format, which manifests have too. */
export interface LogRecord {
  bytes: Uint8Array;
  /** Offset of the first byte after it. */
  end: number;
}

/** Called with the offset of bytes that form no record; a record that ends with the file is torn, not damaged. */
export type OnDamage = (offset: number, reason: string) => void;

/**
 * Yields the records that LevelDB reads from a file. At bytes without a valid checksum, it skips to the next block of
 * 32 KiB.
 */
export function* logRecords(file: Uint8Array, crc: Crc32c, onDamage: OnDamage): Generator<LogRecord> {
  let parts: Uint8Array[] | undefined;
  for (let block = 0; block < file.length; block += BLOCK_BYTES) {
    const fragments = blockFragments(file, block, crc, (offset, reason) => {
      parts = undefined;
      onDamage(offset, reason);
    });
    for (const { type, bytes, end } of fragments) {
      if (type === FULL) {
        parts = undefined;
        yield { bytes, end };
      } else if (type === FIRST) {
        parts = [bytes];
      } else if (parts !== undefined) {
        parts.push(bytes);
        if (type !== LAST) continue;
        yield { bytes: Buffer.concat(parts), end };
        parts = undefined;
      }
    }
  }
}

interface Fragment {
  type: number;
  bytes: Uint8Array;
  end: number;
}

function* blockFragments(file: Uint8Array, block: number, crc: Crc32c, onDamage: OnDamage): Generator<Fragment> {
  const blockEnd = Math.min(block + BLOCK_BYTES, file.length);
  for (let at = block; blockEnd - at >= HEADER_BYTES; ) {
    const length = file[at + 4]! | (file[at + 5]! << 8);
    const type = file[at + 6]!;
    const end = at + HEADER_BYTES + length;
    if (end > blockEnd) {
      if (blockEnd - block === BLOCK_BYTES) onDamage(at, "a record is longer than its block");
      return;
    }
    if (type === 0 && length === 0) return onDamage(at, "zeros instead of a record");
    const stored = new DataView(file.buffer, file.byteOffset + at).getUint32(0, true);
    if (!crc.matches(file.subarray(at + 6, end), stored)) return onDamage(at, "a record's checksum is wrong");
    yield { type, bytes: file.subarray(at + HEADER_BYTES, end), end };
    at = end;
  }
}
