import { EMPTY_BYTES, joinBytes } from "@cambium/primitives";
import type { ArchiveData } from "./archive-file.js";
import { malformed } from "./errors.js";

/** Reads data of known size in order. Returned bytes are not changed later. */
export class ByteSource {
  /** Offset of the next byte. */
  position = 0;
  private buffer: Uint8Array = EMPTY_BYTES;
  private at = 0;
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(private readonly data: ArchiveData) {
    this.chunks = data.chunks[Symbol.asyncIterator]();
  }

  get size(): number {
    return this.data.size;
  }

  get left(): number {
    return this.size - this.position;
  }

  /** Whether {@link take} can return this many bytes; otherwise call {@link fill}. */
  has(length: number): boolean {
    return this.buffer.length - this.at >= length;
  }

  /** Waits for bytes. Rejects with `PublishedStateError` `ARCHIVE_FORMAT` if the data end too early. */
  async fill(length: number): Promise<void> {
    const parts = [this.buffer.subarray(this.at)];
    let available = parts[0]!.length;
    while (available < length) {
      const { value, done } = await this.chunks.next();
      if (done) throw malformed(this.position, "the data are truncated");
      parts.push(value);
      available += value.length;
    }
    this.buffer = parts[0]!.length === 0 && parts.length === 2 ? parts[1]! : joinBytes(parts);
    this.at = 0;
  }

  /** The next byte from `ahead` on, without passing over it. */
  peek(ahead: number): number {
    return this.buffer[this.at + ahead]!;
  }

  take(length: number): Uint8Array {
    const bytes = this.buffer.subarray(this.at, this.at + length);
    this.skip(length);
    return bytes;
  }

  /** Passes over bytes that {@link take} could return. */
  skip(length: number): void {
    this.at += length;
    this.position += length;
  }

  /** Waits for bytes and returns them. Rejects as {@link fill} does. */
  async next(length: number): Promise<Uint8Array> {
    if (!this.has(length)) await this.fill(length);
    return this.take(length);
  }

  /** Reads to the end, so that the archive's checksum is verified. */
  async finish(): Promise<void> {
    if (this.left > 0) throw malformed(this.position, `${this.left} bytes follow the end`);
    await this.chunks.next();
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}
