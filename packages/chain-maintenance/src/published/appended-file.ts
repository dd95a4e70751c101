import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { LruCache } from "@cambium/primitives";

/** Bytes that are read at a time. */
const PAGE = 64 * 1024;
/** Bytes that are written at a time, a multiple of {@link PAGE}. */
const BUFFER = 16 * PAGE;
/** Pages in memory. Archives list nodes in the order of the trie, so that few are enough. */
const CACHED_PAGES = 128;

/** A part of a file, valid until the next change of the file. */
interface PartOfFile {
  bytes: Uint8Array;
  /** Position of the part in `bytes`. */
  at: number;
}

/** A temporary file that grows at its end and is read anywhere. File errors are thrown as Node.js throws them. */
export class AppendedFile {
  private readonly file: number;
  private readonly pages = new LruCache<number, Uint8Array>(CACHED_PAGES);
  /** The page that was read last: most reads follow each other. */
  private last: { number: number; page: Uint8Array } | undefined;
  private readonly buffer = new Uint8Array(BUFFER);
  /** Bytes in the file, a multiple of {@link BUFFER} until it is sealed; and bytes in the buffer. */
  private written = 0;
  private buffered = 0;

  constructor(private readonly path: string) {
    this.file = openSync(path, "w+");
  }

  get length(): number {
    return this.written + this.buffered;
  }

  append(bytes: Uint8Array): void {
    if (this.buffered + bytes.length < BUFFER) {
      this.buffer.set(bytes, this.buffered);
      this.buffered += bytes.length;
      return;
    }
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + BUFFER - this.buffered);
      this.buffer.set(part, this.buffered);
      this.buffered += part.length;
      from += part.length;
      if (this.buffered === BUFFER) this.flush();
    }
  }

  /** Writes what is buffered. Nothing may be appended later. */
  seal(): void {
    this.flush();
    this.pages.clear();
    this.last = undefined;
  }

  /** Finds bytes that must exist. Makes no view of them, which would cost more than comparing a few bytes. */
  part(offset: number, length: number): PartOfFile {
    const bytes = this.page(Math.floor(offset / PAGE));
    const at = offset % PAGE;
    return at + length <= bytes.length ? { bytes, at } : { bytes: this.joined(offset, length), at: 0 };
  }

  /** Returns bytes that must exist. Of those that are not flushed, the result is valid until the next change. */
  read(offset: number, length: number): Uint8Array {
    const { bytes, at } = this.part(offset, length);
    return bytes.subarray(at, at + length);
  }

  /** Deletes the file. */
  close(): void {
    closeSync(this.file);
    rmSync(this.path, { force: true });
  }

  private flush(): void {
    try {
      for (let from = 0; from < this.buffered; ) {
        from += writeSync(this.file, this.buffer, from, this.buffered - from, this.written + from);
      }
    } catch (error) {
      throw Object.assign(error as Error, { path: this.path });
    }
    this.written += this.buffered;
    this.buffered = 0;
  }

  private joined(offset: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const at = offset + done;
      const page = this.page(Math.floor(at / PAGE));
      const part = page.subarray(at % PAGE, (at % PAGE) + length - done);
      out.set(part, done);
      done += part.length;
    }
    return out;
  }

  private page(number: number): Uint8Array {
    const start = number * PAGE;
    if (start >= this.written) return this.buffer.subarray(start - this.written, start - this.written + PAGE);
    if (this.last?.number !== number) this.last = { number, page: this.pages.get(number) ?? this.readPage(number) };
    return this.last.page;
  }

  private readPage(number: number): Uint8Array {
    const start = number * PAGE;
    const page = new Uint8Array(Math.min(PAGE, this.written - start));
    for (let done = 0; done < page.length; ) {
      const count = readSync(this.file, page, done, page.length - done, start + done);
      if (count === 0) throw new Error(`${this.path} was truncated by another program`);
      done += count;
    }
    this.pages.set(number, page);
    return page;
  }
}
