import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { equalBytes, LruCache } from "@cambium/primitives";
import { HashIndex, RECORD_ALIGNMENT } from "./hash-index.js";

/** Bytes that are read at a time. */
const PAGE = 64 * 1024;
/** Bytes that are written at a time, a multiple of {@link PAGE}. */
const BUFFER = 16 * PAGE;
/** Pages in memory. Archives list nodes in the order of the trie, so that few are enough. */
const CACHED_PAGES = 512;
/** A record is the hash, the length in four bytes, the content, and padding. */
const HASH_BYTES = 32;
const LENGTH_BYTES = 4;
const PADDINGS = Array.from({ length: RECORD_ALIGNMENT }, (_, length) => new Uint8Array(length));

/**
 * A temporary file of contents by their hashes, first written, then read. Memory holds 10 to 19 bytes for each record
 * and a few pages. File errors are thrown as Node.js throws them.
 */
export class HashFile {
  private readonly file: number;
  private readonly index = new HashIndex();
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

  /** Number of different records. */
  get size(): number {
    return this.index.size;
  }

  /** Bytes of all records. */
  get bytes(): number {
    return this.written + this.buffered;
  }

  /** Number of different records that were read. */
  get used(): number {
    return this.index.marked;
  }

  /** Adds a record unless it is present. */
  add(hash: Uint8Array, content: Uint8Array): void {
    if (this.slotOf(hash) !== undefined) return;
    this.index.add(hash, this.bytes);
    this.append(hash);
    const { length } = content;
    this.append(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length));
    this.append(content);
    this.append(PADDINGS[paddingOf(content)]!);
  }

  /** Writes buffered records. No record may be added later. */
  seal(): void {
    this.flush();
    this.pages.clear();
    this.last = undefined;
  }

  /** Returns the content with a hash, and marks it as used; undefined if there is none. The file must be sealed. */
  use(hash: Uint8Array): Uint8Array | undefined {
    const slot = this.slotOf(hash);
    if (slot === undefined) return undefined;
    this.index.mark(slot);
    return this.contentAt(this.index.offsetAt(slot));
  }

  /** Yields all contents in the order in which they were added. The file must be sealed. */
  *contents(): Generator<Uint8Array> {
    for (let at = 0; at < this.written; ) {
      const content = this.contentAt(at);
      yield content;
      at += HASH_BYTES + LENGTH_BYTES + content.length + paddingOf(content);
    }
  }

  /** Deletes the file. */
  close(): void {
    closeSync(this.file);
    rmSync(this.path, { force: true });
  }

  private slotOf(hash: Uint8Array): number | undefined {
    return this.index.find(hash, (offset) => this.hasHash(offset, hash));
  }

  private hasHash(offset: number, hash: Uint8Array): boolean {
    const page = this.page(Math.floor(offset / PAGE));
    const start = offset % PAGE;
    if (start + HASH_BYTES > page.length) return equalBytes(this.read(offset, HASH_BYTES), hash);
    for (let i = 0; i < HASH_BYTES; i++) if (page[start + i] !== hash[i]) return false;
    return true;
  }

  private contentAt(offset: number): Uint8Array {
    const start = offset + HASH_BYTES;
    // The length lies within a page, since records are aligned.
    const page = this.page(Math.floor(start / PAGE));
    const at = start % PAGE;
    const length = (page[at]! << 24) | (page[at + 1]! << 16) | (page[at + 2]! << 8) | page[at + 3]!;
    return this.read(start + LENGTH_BYTES, length >>> 0);
  }

  private append(bytes: Uint8Array): void {
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

  /** Bytes that must exist. Of those that are not flushed, the result is valid until the next change. */
  private read(offset: number, length: number): Uint8Array {
    const first = this.page(Math.floor(offset / PAGE));
    const start = offset % PAGE;
    if (start + length <= first.length) return first.subarray(start, start + length);
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

function paddingOf({ length }: Uint8Array): number {
  return -(HASH_BYTES + LENGTH_BYTES + length) & (RECORD_ALIGNMENT - 1);
}
