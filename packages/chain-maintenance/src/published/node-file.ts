import { AppendedFile } from "./appended-file.js";
import type { StatePart } from "./archive-state.js";

type NodePart = Extract<StatePart, { kind: "node" }>;

/** A record is the hash, the lengths of place (2 bytes) and content (4 bytes), the place, and the content. */
const HASH_BYTES = 32;
const HEAD_BYTES = HASH_BYTES + 6;

/** A temporary file of the nodes of a state, in order. File errors are thrown as Node.js throws them. */
export class NodeFile {
  private readonly file: AppendedFile;
  private readonly head = new Uint8Array(HEAD_BYTES);
  private readonly headView = new DataView(this.head.buffer);
  private position = 0;

  constructor(path: string) {
    this.file = new AppendedFile(path);
  }

  add({ hash, place, content }: NodePart): void {
    const { file, head, headView } = this;
    head.set(hash);
    headView.setUint16(HASH_BYTES, place.length);
    headView.setUint32(HASH_BYTES + 2, content.length);
    file.append(head);
    file.append(place);
    file.append(content);
  }

  /** Share of the file that was read. */
  get share(): number {
    return this.position / Math.max(this.file.length, 1);
  }

  /** Yields the nodes. Nothing may be added later. */
  *read(): Generator<NodePart> {
    const { file, head, headView } = this;
    file.seal();
    while (this.position < file.length) {
      const hash = this.next(HASH_BYTES);
      head.set(this.next(HEAD_BYTES - HASH_BYTES), HASH_BYTES);
      const place = this.next(headView.getUint16(HASH_BYTES));
      const content = this.next(headView.getUint32(HASH_BYTES + 2));
      yield { kind: "node", hash, place, content };
    }
  }

  private next(length: number): Uint8Array {
    const bytes = this.file.read(this.position, length);
    this.position += length;
    return bytes;
  }

  /** Deletes the file. */
  close(): void {
    this.file.close();
  }
}
