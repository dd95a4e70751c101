import { plainBytes, steadyTime } from "@cambium/primitives";
import type { Stream } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";

/** First byte of every frame of an answer (`spec/07 §D.4`). */
export const RESULT = { data: 0, invalidRequest: 1, notAvailable: 2, rateLimited: 3, serverError: 4 } as const;

export type ResultCode = (typeof RESULT)[keyof typeof RESULT];

/** Maximum length of the text after a code other than `data`, in bytes. */
export const MAX_TEXT_BYTES = 256;

const MAX_LENGTH_BYTES = 4;

/** Encodes a frame: `uvarint length || bytes`. */
export function frameOf(...parts: Uint8Array[]): Uint8ArrayList {
  const frame = new Uint8ArrayList();
  for (const part of parts) frame.append(part);
  frame.prepend(encodeLength(frame.byteLength));
  return frame;
}

function encodeLength(length: number): Uint8Array {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** Result of waiting for a frame. */
export type FrameOutcome =
  | { kind: "frame"; bytes: Uint8Array }
  /** The other side closed the stream. */
  | { kind: "end" }
  /** The frame is too long, or its length is not minimally encoded; the body is not read. */
  | { kind: "oversized" }
  /** The other side closed the stream within a frame. */
  | { kind: "truncated" }
  | { kind: "reset" }
  | { kind: "timeout" }
  | { kind: "aborted" };

/** Time limits for the first byte and for the rest of a frame. Milliseconds. */
export interface FrameTimeouts {
  firstByte: number;
  whole: number;
}

/** Number of unread bytes above which the stream is paused. */
const HIGH_WATER = 64 * 1024;

/** Reads frames from a stream one at a time and pauses the stream in between. */
export class FrameReader {
  private readonly buffer = new Uint8ArrayList();
  private isEnded = false;
  private isReset = false;
  private wake: (() => void) | undefined;

  constructor(private readonly stream: Stream) {
    stream.addEventListener("message", this.onMessage);
    stream.addEventListener("end", this.onEnd);
    stream.addEventListener("close", this.onClose);
    if (stream.readableEnded) this.isEnded = true;
  }

  /** Stops listening; unread bytes are lost. */
  release(): void {
    this.stream.removeEventListener("message", this.onMessage);
    this.stream.removeEventListener("end", this.onEnd);
    this.stream.removeEventListener("close", this.onClose);
  }

  /** Reads a frame; one call at a time. */
  async read(maxBytes: number, timeouts: FrameTimeouts, signal?: AbortSignal): Promise<FrameOutcome> {
    const start = steadyTime();
    let firstByteAt = this.buffer.byteLength > 0 ? start : undefined;
    while (true) {
      const outcome = this.parse(maxBytes);
      if (outcome !== undefined) return outcome;
      if (signal?.aborted) return { kind: "aborted" };
      if (firstByteAt === undefined && this.buffer.byteLength > 0) firstByteAt = steadyTime();
      const deadline = firstByteAt === undefined ? start + timeouts.firstByte : firstByteAt + timeouts.whole;
      const rest = deadline - steadyTime();
      if (rest <= 0) return { kind: "timeout" };
      await this.nextEvent(rest, signal);
    }
  }

  private parse(maxBytes: number): FrameOutcome | undefined {
    const length = this.peekLength();
    if (length === "bad" || (length !== undefined && length.value > maxBytes)) return { kind: "oversized" };
    if (length !== undefined && this.buffer.byteLength >= length.bytes + length.value) {
      const bytes = this.buffer.slice(length.bytes, length.bytes + length.value);
      this.buffer.consume(length.bytes + length.value);
      return { kind: "frame", bytes: plainBytes(bytes) };
    }
    if (this.isReset) return { kind: "reset" };
    // Bytes that arrived with the protocol negotiation are put back, and reported after the end of the stream.
    if (!this.isEnded || this.stream.readBufferLength > 0) return undefined;
    return { kind: this.buffer.byteLength === 0 ? "end" : "truncated" };
  }

  private peekLength(): { value: number; bytes: number } | "bad" | undefined {
    let value = 0;
    for (let i = 0; i < this.buffer.byteLength; i++) {
      if (i === MAX_LENGTH_BYTES) return "bad";
      const byte = this.buffer.get(i);
      value |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return byte === 0 && i > 0 ? "bad" : { value, bytes: i + 1 };
    }
    return undefined;
  }

  /** Resolves at the next event of the stream, or when the time is over. */
  private nextEvent(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      signal?.addEventListener("abort", finish);
      this.wake = finish;
      this.resume();
    });
  }

  private resume(): void {
    if (this.stream.readStatus !== "paused") return;
    try {
      this.stream.resume();
    } catch {
      // The muxer is closed, but the call has delivered its remaining bytes.
    }
  }

  private readonly onMessage = (event: { data: Uint8Array | Uint8ArrayList }): void => {
    this.buffer.append(event.data);
    if (this.wake !== undefined) this.wake();
    else if (this.buffer.byteLength >= HIGH_WATER && this.stream.readStatus === "readable") this.stream.pause();
  };

  private readonly onEnd = (): void => {
    this.isEnded = true;
    this.wake?.();
  };

  private readonly onClose = (event: { error?: Error }): void => {
    if (event.error !== undefined) this.isReset = true;
    else this.isEnded = true;
    this.wake?.();
  };
}

/** Sends a frame and waits until it has left the stream's buffer; false if that fails or takes too long. */
export async function sendFrame(stream: Stream, frame: Uint8ArrayList, milliseconds: number): Promise<boolean> {
  try {
    stream.send(frame);
  } catch {
    return false;
  }
  const deadline = steadyTime() + milliseconds;
  while (stream.writeBufferLength > 0 || stream.writableNeedsDrain) {
    const rest = deadline - steadyTime();
    if (rest <= 0 || stream.status !== "open" || stream.writeStatus !== "writable") return false;
    await drained(stream, rest);
  }
  return stream.status === "open";
}

/** Resolves when the stream has room, closes, or the time is over. */
function drained(stream: Stream, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "idle", "close"] as const;
    const finish = () => {
      clearTimeout(timer);
      for (const event of events) stream.removeEventListener(event, finish);
      // The stream continues sending in its own task after this event.
      setImmediate(resolve);
    };
    const timer = setTimeout(finish, milliseconds);
    for (const event of events) stream.addEventListener(event, finish);
  });
}
