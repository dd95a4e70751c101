import type { IncomingMessage } from "node:http";
import type { Exchange } from "../connections/exchange.js";
import { readLater } from "../connections/paced-reading.js";

/** Longer bodies are read in turns. */
const LARGE_BODY = 65_536;

const NOTHING = Buffer.alloc(0);

/** Shorter chunks are copied together, so that a body in tiny chunks needs no more memory than its size. */
const SMALL_CHUNK = 4_096;
const COPY_CAPACITY = 16_384;

/** Chunks that a body may have in any case, and bytes that further ones have on average: each costs processor time. */
const MAX_SMALL_CHUNKS = 1_024;
const MIN_CHUNK_BYTES = 64;

/** Why a body is not read to its end; the server responds with the status code. */
export class BodyError extends Error {
  constructor(readonly statusCode: 400 | 413 | 503) {
    super(`the body is not read: ${statusCode}`);
  }
}

/** Reads a body of at most `maxBytes`. Rejects with {@link BodyError}, or the error of an aborted request. */
export function readBody(request: IncomingMessage, exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? maxBytes);
  if (announced > maxBytes) return Promise.reject(new BodyError(413));
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(exchange, announced);
    const stop = () => {
      exchange.onExceeded = undefined;
      request.off("data", add).off("end", end).off("error", fail);
    };
    const fail = (error: Error) => {
      stop();
      reject(Object.assign(error, { statusCode: (error as { statusCode?: number }).statusCode ?? 400 }));
    };
    const add = (chunk: Buffer) => {
      const status = body.add(chunk);
      if (status === undefined && body.length <= LARGE_BODY) return;
      request.pause();
      if (status === undefined) readLater(() => request.resume());
      else fail(new BodyError(status));
    };
    const end = () => {
      stop();
      resolve(body.bytes());
    };
    exchange.onExceeded = () => fail(new BodyError(503));
    request.on("data", add).on("end", end).on("error", fail);
  });
}

/** The bytes of a body received so far. */
class GrowingBody {
  length = 0;
  private chunks = 0;
  private readonly parts: Buffer[] = [];
  /** Where small chunks are copied to, and how much of it is used; it is the last part. */
  private copies = NOTHING;
  private copied = 0;

  constructor(
    private readonly exchange: Exchange,
    private readonly maxBytes: number,
  ) {}

  /** The status code if the chunk is not accepted. */
  add(chunk: Buffer): 400 | 413 | 503 | undefined {
    const length = this.length + chunk.length;
    if (length > this.maxBytes) return 413;
    if (++this.chunks > MAX_SMALL_CHUNKS && length < this.chunks * MIN_CHUNK_BYTES) return 400;
    if (!this.exchange.holdUnread(chunk.length)) return 503;
    this.length = length;
    // Most bodies have one chunk.
    if (this.chunks === 1 || chunk.length >= SMALL_CHUNK) this.append(chunk);
    else this.copy(chunk);
    return undefined;
  }

  bytes(): Buffer {
    this.endCopies();
    return this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts, this.length);
  }

  private append(chunk: Buffer): void {
    this.endCopies();
    this.parts.push(chunk);
  }

  private copy(chunk: Buffer): void {
    if (this.copied + chunk.length > this.copies.length) {
      this.endCopies();
      this.copies = Buffer.allocUnsafeSlow(COPY_CAPACITY);
    }
    chunk.copy(this.copies, this.copied);
    this.copied += chunk.length;
  }

  /** Ends the part that consists of copies; the rest of its memory takes further ones. */
  private endCopies(): void {
    if (this.copied === 0) return;
    this.parts.push(this.copies.subarray(0, this.copied));
    this.copies = this.copies.subarray(this.copied);
    this.copied = 0;
  }
}
