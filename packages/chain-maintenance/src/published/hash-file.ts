import { AppendedFile } from "./appended-file.js";
import { HashIndex } from "./hash-index.js";
import { contentLength, HASH_BYTES, HEAD_BYTES, recordLength, writeContent } from "./record-layout.js";

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

  /** Adds a content unless it is present. */
  add(hash: Uint8Array, content: Uint8Array): void {
    const record = new Uint8Array(recordLength(content.length));
    record.set(hash);
    writeContent(content, record, 0);
    this.addRecords(record);
  }

  /** Adds records that follow each other, each unless it is present. */
  addRecords(records: Uint8Array): void {
    const { file, index } = this;
    for (let at = 0; at < records.length; ) {
      const end = at + recordLength(contentLength(records, at));
      // A record begins with its hash.
      const record = records.subarray(at, end);
      if (this.slotOf(record) === undefined) {
        index.add(record, file.length);
        file.append(record);
      }
      at = end;
    }
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
      at += recordLength(content.length);
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
    const { bytes, at } = this.file.part(offset, HEAD_BYTES);
    return this.file.read(offset + HEAD_BYTES, contentLength(bytes, at));
  }
}
