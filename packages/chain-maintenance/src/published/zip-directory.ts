import type { FileHandle } from "node:fs/promises";
import { PublishedStateError } from "./errors.js";

/** The only entry of a zip file. */
export interface ZipEntry {
  /** Offset of its data in the file. */
  start: number;
  packedSize: number;
  /** Size of its content, in bytes. */
  size: number;
  /** CRC-32 of its content. */
  checksum: number;
  /** Whether it is compressed by deflate; otherwise it is stored. */
  isDeflated: boolean;
}

const NAME = "bootstrap-data.bin";

/*
 * Layout of a zip file with one entry: local header, data, possibly a descriptor, the entry's header in the directory,
 * the end record. Files above 4 GB have a second end record and its locator before the end record.
 */
const LOCAL_HEADER = { magic: 0x04034b50, length: 30 };
const ENTRY_HEADER = { magic: 0x02014b50, length: 46 };
const END = { magic: 0x06054b50, length: 22 };
const LONG_END = { magic: 0x06064b50, length: 56 };
const LOCATOR = { magic: 0x07064b50, length: 20 };
const MAX_DESCRIPTOR = 24;
const ENCRYPTED = 1;
const HAS_DESCRIPTOR = 8;
const DEFLATED = 8;
/** Id of the extra field with numbers that do not fit into 32 bits. */
const LONG_NUMBERS = 1;
const IN_EXTRA = 0xffffffff;

interface Directory {
  entries: number;
  start: number;
  length: number;
  /** Offset of the first end record. */
  end: number;
}

/**
 * Reads the directory of a zip file of `size` bytes. The file must consist of the entry `bootstrap-data.bin` and
 * nothing else. Rejects with {@link PublishedStateError} `ARCHIVE_FILE`.
 */
export async function readDirectory(file: FileHandle, size: number): Promise<ZipEntry> {
  const { entries, start, length, end } = await locate(file, size);
  if (entries !== 1) throw refused(`it has ${entries} entries, expected only ${NAME}`);
  if (start + length !== end) throw refused("its directory is cut or damaged");
  const header = await read(file, start, length);
  requireMagic(header, ENTRY_HEADER, "its directory is damaged");
  const nameLength = header.readUInt16LE(28);
  const extraLength = header.readUInt16LE(30);
  const commentLength = header.readUInt16LE(32);
  if (ENTRY_HEADER.length + nameLength + extraLength + commentLength !== length)
    throw refused("its directory is damaged");
  const nameEnd = ENTRY_HEADER.length + nameLength;
  requireName(header.toString("latin1", ENTRY_HEADER.length, nameEnd));
  const flags = header.readUInt16LE(8);
  if ((flags & ENCRYPTED) !== 0) throw refused("it is encrypted");
  const [unpackedSize, packedSize, offset] = longNumbers(header, header.subarray(nameEnd, nameEnd + extraLength));
  if (offset !== 0) throw refused("bytes precede its entry");
  const dataStart = await startOfData(file, header.readUInt16LE(10));
  const rest = start - dataStart - packedSize!;
  if (rest < 0 || rest > ((flags & HAS_DESCRIPTOR) !== 0 ? MAX_DESCRIPTOR : 0)) throw refused("its sizes do not match");
  return {
    start: dataStart,
    packedSize: packedSize!,
    size: unpackedSize!,
    checksum: header.readUInt32LE(16),
    isDeflated: isDeflated(header.readUInt16LE(10)),
  };
}

async function locate(file: FileHandle, size: number): Promise<Directory> {
  if (size < END.length) throw refused("it is not a zip file");
  const first = await read(file, 0, 4);
  const magic = first.readUInt32LE(0);
  if (magic !== LOCAL_HEADER.magic && magic !== END.magic) throw refused("it does not begin as a zip file");
  const end = await read(file, size - END.length, END.length);
  requireMagic(end, END, "it is truncated, or bytes follow its end");
  const directory = {
    entries: end.readUInt16LE(10),
    length: end.readUInt32LE(12),
    start: end.readUInt32LE(16),
    end: size - END.length,
  };
  return directory.start === IN_EXTRA ? locateLong(file, directory.end) : directory;
}

async function locateLong(file: FileHandle, end: number): Promise<Directory> {
  const at = end - LOCATOR.length;
  if (at < LONG_END.length) throw refused("its directory is damaged");
  requireMagic(await read(file, at, LOCATOR.length), LOCATOR, "its directory is damaged");
  const record = await read(file, at - LONG_END.length, LONG_END.length);
  requireMagic(record, LONG_END, "its directory is damaged");
  return { entries: long(record, 32), length: long(record, 40), start: long(record, 48), end: at - LONG_END.length };
}

/** Sizes of the content and of its data, and offset of the entry; those above 4 GB are in the extra field. */
function longNumbers(header: Buffer, extra: Buffer): number[] {
  const fields = [24, 20, 42].map((offset) => header.readUInt32LE(offset));
  if (!fields.includes(IN_EXTRA)) return fields;
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    const content = extra.subarray(at + 4, at + 4 + length);
    if (extra.readUInt16LE(at) === LONG_NUMBERS) {
      let next = 0;
      return fields.map((field) => (field === IN_EXTRA ? long(content, next++ * 8) : field));
    }
    at += 4 + length;
  }
  throw refused("its directory is damaged");
}

/** The entry's own header must name the same file. */
async function startOfData(file: FileHandle, method: number): Promise<number> {
  const header = await read(file, 0, LOCAL_HEADER.length + NAME.length);
  requireMagic(header, LOCAL_HEADER, "it does not begin with an entry");
  const nameLength = header.readUInt16LE(26);
  if (nameLength !== NAME.length || header.readUInt16LE(8) !== method) throw refused("its entry is damaged");
  requireName(header.toString("latin1", LOCAL_HEADER.length));
  return header.length + header.readUInt16LE(28);
}

function isDeflated(method: number): boolean {
  if (method !== 0 && method !== DEFLATED) throw refused(`it is compressed by method ${method}, expected deflate`);
  return method === DEFLATED;
}

function requireName(name: string): void {
  if (name !== NAME) throw refused(`its entry is ${JSON.stringify(name.slice(0, 80))}, expected ${NAME}`);
}

function requireMagic(record: Buffer, { magic, length }: { magic: number; length: number }, reason: string): void {
  if (record.length < length || record.readUInt32LE(0) !== magic) throw refused(reason);
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(length, MAX_READ)), 0, undefined, position);
  if (length > MAX_READ || bytesRead !== length) throw refused("its directory is cut or damaged");
  return buffer;
}

/** Length of the longest possible header, whose name, extra field and comment have at most 64 KB each. */
const MAX_READ = 4 * 2 ** 16;

function long(bytes: Buffer, offset: number): number {
  if (offset + 8 > bytes.length) throw refused("its directory is damaged");
  const value = Number(bytes.readBigUInt64LE(offset));
  if (!Number.isSafeInteger(value)) throw refused("its directory is damaged");
  return value;
}

function refused(reason: string): PublishedStateError {
  return new PublishedStateError({ code: "ARCHIVE_FILE", reason });
}
