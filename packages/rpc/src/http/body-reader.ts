import type { IncomingMessage } from "node:http";
import type { Exchange } from "../connections/exchange.js";

const FIRST_CAPACITY = 65_536;

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
      if (status !== undefined) fail(new BodyError(status));
    };
    const end = () => {
      stop();
      resolve(body.bytes());
    };
    exchange.onExceeded = () => fail(new BodyError(503));
    request.on("data", add).on("end", end).on("error", fail);
  });
}

/** Bytes received so far, copied together so that a body in many chunks needs no more memory than its size. */
class GrowingBody {
  private buffer: Buffer = Buffer.alloc(0);
  private length = 0;
  private chunks = 0;

  constructor(
    private readonly exchange: Exchange,
    private readonly maxBytes: number,
  ) {}

  /** The status code if the chunk is not accepted. */
  add(chunk: Buffer): 400 | 413 | 503 | undefined {
    const length = this.length + chunk.length;
    if (length > this.maxBytes) return 413;
    if (++this.chunks > MAX_SMALL_CHUNKS && length < this.chunks * MIN_CHUNK_BYTES) return 400;
    if (this.chunks === 1) {
      // Most bodies have one chunk.
      if (!this.exchange.holdUnread(length)) return 503;
      this.buffer = chunk;
    } else {
      if (!this.reserve(length)) return 503;
      chunk.copy(this.buffer, this.length);
    }
    this.length = length;
    return undefined;
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** False if the budget is exceeded. */
  private reserve(length: number): boolean {
    // The first chunk is a view of what was received with it.
    if (length <= this.buffer.length && this.chunks > 2) return true;
    const capacity = Math.min(Math.max(2 * length, FIRST_CAPACITY), this.maxBytes);
    if (!this.exchange.holdUnread(capacity - this.buffer.length)) return false;
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
    return true;
  }
}
