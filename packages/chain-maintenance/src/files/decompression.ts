import { createGunzip, type Gunzip } from "node:zlib";
import { Decompress } from "fzstd";

/** Bytes of zstd data that are decompressed at a time: few, because one byte may become thousands. */
const ZSTD_PIECE = 4096;
/**
 * The same for gzip, where one byte becomes 1,032 at most. Each piece is a task for a thread of Node.js, which costs
 * more than its work if the piece is small.
 */
const GZIP_PIECE = 16 * 1024;
/** Bytes of content that one such task can return; a piece with more content needs further tasks. */
const GZIP_CONTENT = 64 * 1024;
/**
 * Largest distance of repetitions in zstd data, which are in memory that long; more takes `--long` when compressing and
 * decompressing.
 */
const MAX_WINDOW = 128 * 1024 * 1024;
/** Bytes of the longest header of a zstd frame. */
const ZSTD_HEADER = 18;

type Chunks = AsyncGenerator<Uint8Array>;

/** Passes decompressed data to `emit`, even if an error follows them. */
interface Decompressor {
  /** Bytes that are passed to `push` at most. */
  readonly pieceLength: number;
  push(piece: Uint8Array): Promise<void> | void;
  /** Fails if the data are truncated. */
  end(): Promise<void> | void;
}

/**
 * Yields the content of gzip or zstd data, or the data themselves; their first bytes tell which. Fails with any error
 * if they are damaged, after the content that precedes the damage. Checksums of zstd are not verified.
 */
export async function* decompress(data: Chunks): Chunks {
  const [start, chunks] = await peek(data, ZSTD_HEADER);
  if (start[0] === 0x1f && start[1] === 0x8b) yield* decompressWith(gzip, chunks);
  else if (start.length > 4 && start.readUInt32LE() === 0xfd2fb528) {
    requireWindow(start);
    yield* decompressWith(zstd, chunks);
  } else yield* chunks;
}

/** Returns at least the first `length` bytes, or all, and the chunks from the start. */
async function peek(chunks: Chunks, length: number): Promise<[Buffer, Chunks]> {
  let start = Buffer.alloc(0);
  while (start.length < length) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  async function* all(): Chunks {
    if (start.length > 0) yield start;
    yield* chunks;
  }
  return [start, all()];
}

async function* decompressWith(make: (emit: (content: Uint8Array) => void) => Decompressor, chunks: Chunks): Chunks {
  const contents: Uint8Array[] = [];
  const decompressor = make((content) => contents.push(content));
  for await (const piece of pieces(chunks, decompressor.pieceLength)) {
    const failure = await failureOf(() => decompressor.push(piece));
    yield* contents.splice(0);
    if (failure !== undefined) throw failure;
  }
  const failure = await failureOf(() => decompressor.end());
  yield* contents;
  if (failure !== undefined) throw failure;
}

async function* pieces(chunks: Chunks, length: number): Chunks {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += length) yield chunk.subarray(start, start + length);
  }
}

async function failureOf(action: () => Promise<void> | void): Promise<unknown> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return error ?? new Error("unknown");
  }
}

function gzip(emit: (content: Uint8Array) => void): Decompressor {
  const stream = createGunzip({ chunkSize: GZIP_CONTENT });
  stream.on("data", emit);
  return {
    pieceLength: GZIP_PIECE,
    push: (piece) => stepped(stream, (done) => stream.write(piece, done)),
    end: () => stepped(stream, (done) => stream.once("end", done).end()),
  };
}

/**
 * Waits for a step of a stream, or its error, after which the step may not end. Data after the compressed data are
 * ignored.
 */
function stepped(stream: Gunzip, step: (done: () => void) => void): Promise<void> {
  if (stream.readableEnded) return Promise.resolve();
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    step(() => {
      stream.off("error", reject);
      resolve();
    });
  });
}

function zstd(emit: (content: Uint8Array) => void): Decompressor {
  const stream = new Decompress(emit);
  return {
    pieceLength: ZSTD_PIECE,
    push: (piece) => void stream.push(piece),
    end: () => void stream.push(new Uint8Array(0), true),
  };
}

/** Fails if the frame needs much memory (RFC 8878, 3.1.1.1). */
function requireWindow(frame: Buffer): void {
  const size = windowSize(frame);
  if (size <= MAX_WINDOW) return;
  throw new Error(`the zstd window has ${size} bytes, expected at most ${MAX_WINDOW}: compress it without --long`);
}

function windowSize(frame: Buffer): number {
  const descriptor = frame[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  if (!isSingleSegment) {
    const [exponent, mantissa] = [frame[5]! >> 3, frame[5]! & 7];
    return 2 ** (10 + exponent) * (1 + mantissa / 8);
  }
  const start = 5 + [0, 1, 2, 4][descriptor & 3]!;
  const length = [1, 2, 4, 8][descriptor >> 6]!;
  const size = frame.subarray(start, start + length).toReversed();
  return Number(`0x${Buffer.from(size).toString("hex")}`) + (length === 2 ? 256 : 0);
}
