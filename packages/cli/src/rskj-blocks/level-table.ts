/** Ends a table file of LevelDB: handles of two blocks, padding, and a magic number. */
const FOOTER_BYTES = 48;
const MAGIC = Uint8Array.of(0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb);
/** Follow a block: how it is compressed (0: not at all), and a checksum. */
const TRAILER_BYTES = 5;
/** Ends a key: sequence number and kind of the entry, whose first byte is 1 for a value, 0 for a deletion. */
const KEY_SUFFIX_BYTES = 8;
const VALUE = 1;

export interface TableEntry {
  key: Uint8Array;
  value: Uint8Array;
  /** Place of the value in the file. */
  offset: number;
}

/** A place in bytes that are read from front to back. */
interface Cursor {
  offset: number;
}

/**
 * Values in a table file of LevelDB without compression, ordered by key; deleted ones included. Checksums are not
 * verified. Throws an `Error` if the file has another format.
 */
export function* tableEntries(file: Uint8Array): Generator<TableEntry> {
  const footer = file.length - FOOTER_BYTES;
  if (footer < 0 || !MAGIC.every((byte, i) => byte === file[file.length - MAGIC.length + i])) {
    throw new Error("it is no table of LevelDB");
  }
  const cursor = { offset: footer };
  readHandle(file, cursor);
  for (const { value } of blockEntries(file, readHandle(file, cursor))) {
    for (const entry of blockEntries(file, readHandle(value, { offset: 0 }))) {
      const end = entry.key.length - KEY_SUFFIX_BYTES;
      if (entry.key[end] === VALUE) yield { ...entry, key: entry.key.subarray(0, end) };
    }
  }
}

/** Part of a file. */
interface Handle {
  offset: number;
  size: number;
}

function readHandle(bytes: Uint8Array, cursor: Cursor): Handle {
  return { offset: readVariableInteger(bytes, cursor), size: readVariableInteger(bytes, cursor) };
}

/** Entries of one block. A key is stored without the part that it shares with the one before. */
function* blockEntries(file: Uint8Array, { offset, size }: Handle): Generator<TableEntry> {
  if (size < 4 || offset + size + TRAILER_BYTES > file.length) throw new Error("a block is not within the file");
  if (file[offset + size] !== 0) throw new Error("it is compressed");
  const view = new DataView(file.buffer, file.byteOffset + offset, size);
  // Places at which keys are stored whole follow the entries.
  const restarts = view.getUint32(size - 4, true);
  const end = offset + size - 4 - 4 * restarts;
  const cursor = { offset };
  let key: Uint8Array = new Uint8Array(0);
  while (cursor.offset < end) {
    const shared = readVariableInteger(file, cursor);
    const more = readVariableInteger(file, cursor);
    const length = readVariableInteger(file, cursor);
    const start = cursor.offset + more;
    if (shared > key.length || start + length > end) throw new Error("an entry is not within its block");
    const next = new Uint8Array(shared + more);
    next.set(key.subarray(0, shared));
    next.set(file.subarray(cursor.offset, start), shared);
    key = next;
    cursor.offset = start + length;
    yield { key, value: file.subarray(start, cursor.offset), offset: start };
  }
}

/** Seven bits a byte, the lowest first; the last byte is below 128. */
function readVariableInteger(bytes: Uint8Array, cursor: Cursor): number {
  let value = 0;
  for (let factor = 1; factor < Number.MAX_SAFE_INTEGER; factor *= 128) {
    const byte = bytes[cursor.offset++];
    if (byte === undefined) throw new Error("a number is not within its block");
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
  throw new Error("a number is too large");
}
