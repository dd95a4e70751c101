import { createReadStream, createWriteStream, statSync, type WriteStream } from "node:fs";
import { createGzip } from "node:zlib";
import { ChainError } from "@cambium/chain-store";
import { bigintToBytes, bytesToBigint, fromHex, toHex } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { decompress } from "./decompression.js";

/** A block to import. The values are not verified. */
export interface SourceBlock {
  /** Line number, from 1, or another place in the source. */
  line: number;
  number: number;
  hash: Uint8Array;
  /** RLP of the whole block. */
  rlp: Uint8Array;
  /** Header in `rlp`, if the source has decoded it. */
  header?: BlockHeader | undefined;
}

/** A line of a block file: `number,hash,totalDifficulty,rlp`, hex without `0x`. The values are not verified. */
export interface BlockFileEntry extends SourceBlock {
  totalDifficulty: bigint;
}

/** A parsed line, or why it is malformed. */
export type BlockFileLine = SourceLine<BlockFileEntry>;

export type SourceLine<T = SourceBlock> = { entry: T } | { fault: ChainError; line: number };

/** Source of blocks to import, in order, such as a file. */
export interface BlockSource {
  /** The file or folder, in messages. */
  name: string;
  /** Total of what `onBytes` counts, in bytes; undefined if unknown. */
  size: number | undefined;
  read(options: BlockFileOptions): AsyncIterable<SourceLine>;
}

export interface BlockFileOptions {
  /** Ends the stream, also within a line. */
  signal?: AbortSignal | undefined;
  /** Called with the number of bytes read so far, even within a line. */
  onBytes?: ((bytesRead: number) => void) | undefined;
}

/**
 * Maximum length of a line that is buffered, in characters: two for each byte of a block. No block comes close to 16
 * MiB.
 */
const MAX_LINE = 32 * 1024 * 1024;
/** Maximum number of bytes without a line, read or decompressed. It leaves room for a line that is too long. */
const MAX_GAP = 2 * MAX_LINE;
/** Bytes that are read at a time. */
const CHUNK = 1 << 16;

/** Name of standard input in place of a file. */
const STANDARD_INPUT = "-";

/** A block file, or {@link STANDARD_INPUT}, to import. */
export function fileSource(file: string): BlockSource {
  return { name: file, size: fileSize(file), read: (options) => readBlockFile(file, options) };
}

/** Size in bytes; undefined if it is not known, or the file is missing, which reading it will report. */
function fileSize(file: string): number | undefined {
  const stats = file === STANDARD_INPUT ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : undefined;
}

/**
 * Reads a block file, or {@link STANDARD_INPUT}, as a stream; gzip and zstd are detected by their first bytes.
 * Malformed lines are yielded as faults (`BLOCK_FILE_LINE`) for the caller to handle; empty lines are skipped. Throws
 * {@link ChainError} `BLOCK_FILE` if the file cannot be read or decompressed, or has no line in 64 MiB. The lines
 * before that are yielded first.
 */
export async function* readBlockFile(file: string, options: BlockFileOptions = {}): AsyncGenerator<BlockFileLine> {
  const position = { bytesRead: 0, line: 0, gapStart: 0 };
  try {
    for await (const text of readLines(file, position, options)) yield parseLine(text, file, position.line);
  } catch (cause) {
    if (options.signal?.aborted) return;
    const reason = (cause as Error).message;
    throw new ChainError({ code: "BLOCK_FILE", file, afterLine: position.line, reason }, { cause });
  }
}

/** Read position in a file. */
interface Position {
  bytesRead: number;
  /** Number of lines so far. */
  line: number;
  /** Value of `bytesRead` when the last line with content ended. */
  gapStart: number;
}

/** A line that arrives in pieces. */
class PartialLine {
  private pieces: string[] = [];
  private length = 0;

  add(piece: string): void {
    this.length += piece.length;
    if (this.length <= MAX_LINE) this.pieces.push(piece);
    else this.pieces = [];
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  /** The line with its last piece but without its end, undefined if it is too long; the next one begins. */
  take(piece: string): string | undefined {
    this.add(piece);
    const line = this.length > MAX_LINE ? undefined : this.pieces.join("");
    this.pieces = [];
    this.length = 0;
    return line?.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

/** Yields lines with content; undefined for one that is too long. */
async function* readLines(
  file: string,
  position: Position,
  options: BlockFileOptions,
): AsyncGenerator<string | undefined> {
  const line = new PartialLine();
  let isFirst = true;
  /** Decompressed bytes since the last line with content. */
  let gap = 0;
  for await (const bytes of decompress(readBytes(file, position, options))) {
    if (options.signal?.aborted) return;
    if (bytes.length === 0) continue;
    if (isFirst) requireText(bytes);
    isFirst = false;
    const chunk = latin1(bytes);
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      const text = end === start && line.isEmpty ? "" : line.take(chunk.slice(start, end));
      start = end + 1;
      position.line++;
      if (text === "") continue;
      gap = -start;
      position.gapStart = position.bytesRead;
      yield text;
    }
    line.add(chunk.slice(start));
    gap += chunk.length;
    requireLine(gap);
  }
  position.line++;
  const last = line.take("");
  if (last !== "") yield last;
}

/** Throws if a file is a device without an end, or consists of empty lines: the import would read it for minutes. */
function requireLine(gap: number): void {
  if (gap > MAX_GAP) throw new Error(`no line with a block in ${MAX_GAP >> 20} MiB`);
}

/**
 * Throws if a file is not text. The deployed client's bootstrap download, for example, is RLP with blocks and a state
 * in a zip archive.
 */
function requireText(start: Uint8Array): void {
  if (start[0] === 0) throw new Error("it begins with a zero byte, expected lines of number,hash,totalDifficulty,rlp");
  const isZip = latin1(start.subarray(0, 4)) === "PK\x03\x04";
  if (!isZip && start[0]! < 0xf8) return;
  const what = isZip ? "a zip archive" : "RLP";
  throw new Error(
    `it is ${what}, such as bootstrap data of the deployed client, expected lines of number,hash,totalDifficulty,rlp`,
  );
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

async function* readBytes(
  file: string,
  position: Position,
  { signal, onBytes }: BlockFileOptions,
): AsyncGenerator<Uint8Array> {
  const source = file === STANDARD_INPUT ? process.stdin : createReadStream(file, { highWaterMark: CHUNK });
  // Standard input may be silent for long.
  const stop = () => source.destroy();
  signal?.addEventListener("abort", stop);
  try {
    for await (const chunk of source) {
      position.bytesRead += (chunk as Buffer).length;
      onBytes?.(position.bytesRead);
      // Compressed data can go on without any content.
      requireLine(position.bytesRead - position.gapStart);
      yield chunk as Buffer;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    source.destroy();
  }
}

function parseLine(
  text: string | undefined,
  file: string,
  line: number,
): { entry: BlockFileEntry } | { fault: ChainError; line: number } {
  try {
    if (text === undefined) throw new Error(`more than ${MAX_LINE} characters`);
    return { entry: { line, ...parseFields(text.split(",")) } };
  } catch (cause) {
    const reason = (cause as Error).message;
    return { fault: new ChainError({ code: "BLOCK_FILE_LINE", file, line, reason }, { cause }), line };
  }
}

function parseFields(fields: string[]): Omit<BlockFileEntry, "line"> {
  const [number, hash, difficulty, rlp] = fields;
  if (fields.length !== 4) throw new Error(`expected 4 fields, found ${fields.length}`);
  if (!/^\d{1,15}$/.test(number!)) throw new Error(`the block number '${number!.slice(0, 20)}' is not a number`);
  const hashBytes = fromHex(hash!);
  if (hashBytes.length !== 32) throw new Error(`the block hash has ${hashBytes.length} bytes, expected 32`);
  return {
    number: Number(number),
    hash: hashBytes,
    totalDifficulty: bytesToBigint(fromHex(difficulty!)),
    rlp: fromHex(rlp!),
  };
}

/** Writes a block file, gzipped if its name ends in `.gz`. The file is complete only after {@link close}. */
export class BlockFileWriter {
  private readonly file: WriteStream;
  private readonly target: NodeJS.WritableStream;
  private failure: ChainError | undefined;
  /** Settles when writing has finished or failed. */
  private readonly ended: Promise<void>;

  constructor(path: string) {
    this.file = createWriteStream(path);
    this.file.on("error", (cause) => {
      this.failure ??= new ChainError({ code: "BLOCK_FILE", file: path, reason: cause.message }, { cause });
    });
    this.ended = new Promise((resolve) => this.file.once("close", resolve));
    if (path.endsWith(".gz")) {
      const gzip = createGzip();
      gzip.pipe(this.file);
      this.target = gzip;
    } else this.target = this.file;
  }

  /**
   * Writes a line. Rejects with {@link ChainError} `BLOCK_FILE` if writing fails, for instance because the disk is
   * full.
   */
  async write(entry: Omit<BlockFileEntry, "line">): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    const { number, hash, totalDifficulty, rlp } = entry;
    const line = `${number},${toHex(hash)},${toHex(bigintToBytes(totalDifficulty))},${toHex(rlp)}\n`;
    if (!this.target.write(line)) await this.drained();
  }

  private async drained(): Promise<void> {
    await Promise.race([new Promise((resolve) => this.target.once("drain", resolve)), this.ended]);
    if (this.failure !== undefined) throw this.failure;
  }

  async close(): Promise<void> {
    this.target.end();
    await this.ended;
    if (this.failure !== undefined) throw this.failure;
  }
}
