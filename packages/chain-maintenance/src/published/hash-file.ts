import { AppendedFile } from "./appended-file.js";
import { HashIndex, RECORD_ALIGNMENT } from "./hash-index.js";

/** A record is the hash, the length in four bytes, the content, and padding. */
const HASH_BYTES = 32;
const LENGTH_BYTES = 4;
const PADDINGS = Array.from({ length: RECORD_ALIGNMENT }, (_, length) => new Uint8Array(length));

/**
 * A temporary file of contents by their hashes, first written, then read. Memory holds 10 to 19 bytes for each record
 * and a few pages. File errors are thrown as Node.js throws them.
 */
export class HashFile {
  private readonly file: AppendedFile;
  private readonly index = new HashIndex();

  constructor(path: string) {
    this.file = new AppendedFile(path);
  }

  /** Number of different records. */
  get size(): number {
    return this.index.size;
  }

  /** Bytes of all records. */
  get bytes(): number {
    return this.file.length;
  }

  /** Number of different records that were read. */
  get used(): number {
    return this.index.marked;
  }

  /** Adds a record unless it is present. */
  add(hash: Uint8Array, content: Uint8Array): void {
    if (this.slotOf(hash) !== undefined) return;
    const { file } = this;
    this.index.add(hash, file.length);
    file.append(hash);
    const { length } = content;
    file.append(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length));
    file.append(content);
    file.append(PADDINGS[paddingOf(content)]!);
  }

  /** Writes buffered records. No record may be added later. */
  seal(): void {
    this.file.seal();
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
    for (let at = 0; at < this.bytes; ) {
      const content = this.contentAt(at);
      yield content;
      at += HASH_BYTES + LENGTH_BYTES + content.length + paddingOf(content);
    }
  }

  /** Deletes the file. */
  close(): void {
    this.file.close();
  }

  private slotOf(hash: Uint8Array): number | undefined {
    return this.index.find(hash, (offset) => this.hasHash(offset, hash));
  }

  private hasHash(offset: number, hash: Uint8Array): boolean {
    const { bytes, at } = this.file.part(offset, HASH_BYTES);
    for (let i = 0; i < HASH_BYTES; i++) if (bytes[at + i] !== hash[i]) return false;
    return true;
  }

  private contentAt(offset: number): Uint8Array {
    const start = offset + HASH_BYTES;
    const { bytes, at } = this.file.part(start, LENGTH_BYTES);
    const length = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    return this.file.read(start + LENGTH_BYTES, length >>> 0);
  }
}

function paddingOf({ length }: Uint8Array): number {
  return -(HASH_BYTES + LENGTH_BYTES + length) & (RECORD_ALIGNMENT - 1);
}
