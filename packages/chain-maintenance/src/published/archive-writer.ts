import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createDeflateRaw } from "node:zlib";
import { PublishedStateError } from "./errors.js";

const NAME = Buffer.from("bootstrap-data.bin");
/** Sizes above need another form of the directory. */
const MAX_SIZE = 0xffffffff;
/** Version of the format, flags (sizes follow the data) and method (deflate), which both headers have. */
const FORMAT = Buffer.from([20, 0, 8, 0, 8, 0]);
/** Time of the zip entry: 1980-01-01, midnight. It is fixed, so that the same state gives the same file. */
const TIME = Buffer.from([0, 0, 0x21, 0]);

/**
 * Writes data as the only entry of a zip file. Returns the SHA-256 of the file. Rejects with
 * {@link PublishedStateError} `ARCHIVE_LIMIT` if the data have 4 GiB or more, or with a file error.
 */
export async function writeArchive(path: string, data: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const hash = createHash("sha256");
  let [checksum, size, packedSize] = [0, 0, 0];

  async function* measured() {
    for await (const chunk of data) {
      checksum = crc32(chunk, checksum);
      size += chunk.length;
      if (size > MAX_SIZE) throw new PublishedStateError({ code: "ARCHIVE_LIMIT", what: "bytes", maximum: MAX_SIZE });
      yield chunk;
    }
  }

  async function* zipped(packed: AsyncIterable<Uint8Array>) {
    const start = Buffer.concat([word(0x04034b50), FORMAT, TIME, words(0, 0, 0), halves(NAME.length, 0), NAME]);
    yield start;
    for await (const chunk of packed) {
      packedSize += chunk.length;
      yield chunk;
    }
    const sizes = words(checksum, packedSize, size);
    const entry = [
      word(0x02014b50),
      halves(20),
      FORMAT,
      TIME,
      sizes,
      halves(NAME.length, 0, 0, 0, 0),
      words(0, 0),
      NAME,
    ];
    const directory = Buffer.concat(entry);
    const at = start.length + packedSize + 16;
    yield Buffer.concat([word(0x08074b50), sizes, directory]);
    yield Buffer.concat([word(0x06054b50), halves(0, 0, 1, 1), words(directory.length, at), halves(0)]);
  }

  async function* hashed(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }

  await pipeline(Readable.from(measured()), createDeflateRaw(), zipped, hashed, createWriteStream(path));
  return new Uint8Array(hash.digest());
}

function word(value: number): Buffer {
  return words(value);
}

/** Numbers of four bytes. */
function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}

/** Numbers of two bytes. */
function halves(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value, index * 2);
  return bytes;
}
