import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { crc32, createInflateRaw, type InflateRaw } from "node:zlib";
import { PublishedStateError } from "./errors.js";
import { readDirectory, type ZipEntry } from "./zip-directory.js";

/** Unpacked data of an archive. */
export interface ArchiveData {
  /** Size of the file, in bytes. */
  size: number;
  chunks: AsyncIterable<Uint8Array>;
}

/** Maximum size of the unpacked data, in bytes: sixteen times that of main in 2026. */
const MAX_SIZE = 16 * 2 ** 30;
const CHUNK = 256 * 1024;

/**
 * Opens the only entry of a zip file, which is unpacked while its chunks are read. Rejects, as reading does, with
 * {@link PublishedStateError} `ARCHIVE_FILE` or `ARCHIVE_LIMIT`.
 */
export async function openArchive(path: string): Promise<ArchiveData> {
  const file = await open(path);
  try {
    const entry = await readDirectory(file, (await file.stat()).size);
    if (entry.size > MAX_SIZE)
      throw new PublishedStateError({ code: "ARCHIVE_LIMIT", what: "bytes", maximum: MAX_SIZE });
    return { size: entry.size, chunks: contentOf(path, entry) };
  } finally {
    await file.close();
  }
}

/** The content of an entry. Never yields more bytes than the directory announces. */
async function* contentOf(path: string, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  let checksum = 0;
  let size = 0;
  for await (const chunk of unpacked(path, entry)) {
    size += chunk.length;
    if (size > entry.size) throw damaged(`it holds more than the ${entry.size} bytes that its directory announces`);
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (size !== entry.size) throw damaged(`it holds ${size} bytes, its directory announces ${entry.size}`);
  if (checksum !== entry.checksum) throw damaged("its checksum differs");
}

async function* unpacked(path: string, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  if (entry.packedSize === 0) return;
  const end = entry.start + entry.packedSize - 1;
  const file = createReadStream(path, { start: entry.start, end, highWaterMark: CHUNK });
  if (!entry.isDeflated) return yield* file;
  const inflate = createInflateRaw({ chunkSize: CHUNK });
  try {
    yield* pipeline(file, inflate, () => undefined) as InflateRaw;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith("Z_")) throw damaged((error as Error).message);
    throw error;
  }
  if (inflate.bytesWritten !== entry.packedSize) throw damaged("bytes follow the compressed data");
}

function damaged(reason: string): PublishedStateError {
  return new PublishedStateError({ code: "ARCHIVE_FILE", reason });
}
