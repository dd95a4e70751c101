import type { IncomingMessage } from "node:http";
import type { Exchange } from "../connections/exchange.js";
import { readLater } from "../connections/paced-reading.js";

/** Length in bytes above which bodies are read in turns. */
const LARGE_BODY = 65_536;

/** Size of the first allocation for a body of unknown length, in bytes. */
const FIRST_CAPACITY = 16_384;

/**
 * Number of chunks that every body may have, and average size in bytes of further ones: each chunk costs processor
 * time.
 */
const MAX_SMALL_CHUNKS = 1_024;
const MIN_CHUNK_BYTES = 64;

/** Reason why a body is not read to its end; the server responds with the status code. */
export class BodyError extends Error {
  constructor(readonly statusCode: 400 | 413 | 503) {
    super(`the body is not read: ${statusCode}`);
  }
}

/**
 * Reads a body of at most `maxBytes`. Room for a body of announced length is taken before any of it is read. Rejects
 * with {@link BodyError}, or the error of an aborted request.
 */
export function readBody(request: IncomingMessage, exchange: Exchange, maxBytes: number): Promise<Buffer> {
  const length = request.headers["content-length"];
  const announced = length === undefined ? undefined : Number(length);
  return new Promise((resolve, reject) => {
    const body = new GrowingBody(exchange, announced, maxBytes);
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
    const refusal = body.reserve();
    if (refusal !== undefined) {
      request.pause();
      fail(new BodyError(refusal));
      return;
    }
    request.on("data", add).on("end", end).on("error", fail);
  });
}

/** The received bytes of a body. The capacity is its share of the budget; an announced capacity is allocated once. */
class GrowingBody {
  length = 0;
  private chunks = 0;
  private held = 0;
  private buffer: Buffer | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly announced: number | undefined,
    private readonly maxBytes: number,
  ) {}

  /** Takes room for the announced length. Returns the status code if there is none. */
  reserve(): 413 | 503 | undefined {
    const { announced = 0 } = this;
    if (announced > this.maxBytes) return 413;
    return this.hold(announced) ? undefined : 503;
  }

  /** Adds a chunk. Returns the status code if the chunk is not accepted. */
  add(chunk: Buffer): 400 | 413 | 503 | undefined {
    const length = this.length + chunk.length;
    if (length > this.maxBytes) return 413;
    if (++this.chunks > MAX_SMALL_CHUNKS && length < this.chunks * MIN_CHUNK_BYTES) return 400;
    // Most bodies have one chunk, which is not copied.
    if (length === this.announced && this.chunks === 1) this.buffer = chunk;
    else if (!this.append(chunk, length)) return 503;
    this.length = length;
    return undefined;
  }

  bytes(): Buffer {
    return this.buffer?.subarray(0, this.length) ?? Buffer.alloc(0);
  }

  private append(chunk: Buffer, length: number): boolean {
    if (this.buffer === undefined || length > this.buffer.length) {
      const capacity = this.announced ?? Math.min(Math.max(FIRST_CAPACITY, 2 * length), this.maxBytes);
      if (!this.hold(capacity)) return false;
      const larger = Buffer.allocUnsafeSlow(capacity);
      this.buffer?.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    chunk.copy(this.buffer, this.length);
    return true;
  }

  /** Whether there is room for this total number of bytes. */
  private hold(bytes: number): boolean {
    if (bytes <= this.held) return true;
    if (!this.exchange.holdUnread(bytes - this.held)) return false;
    this.held = bytes;
    return true;
  }
}
