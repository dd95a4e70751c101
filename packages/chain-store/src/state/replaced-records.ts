import type { FlatRecord } from "./flat-record.js";

/** A key and its record; undefined if it has none. */
export interface KeyRecord {
  readonly key: Uint8Array;
  readonly record: FlatRecord | undefined;
}

/** Records by key, as the names of `mapKey`. */
export type ChangedRecords = Map<string, KeyRecord>;

/** Records and marks that are kept, of some hundred bytes each. */
const CAPACITY = 65_536;

/**
 * Block at a mark, and the records that blocks between it and the next mark have replaced, as they were at the mark.
 */
interface Mark {
  readonly number: number;
  records: ChangedRecords;
}

/**
 * Records replaced since some blocks of the best chain, so that a rewind need not read them block by block. The size is
 * bounded: the oldest are forgotten.
 */
export class ReplacedRecords {
  /** Marks by number, ascending. */
  private readonly marks: Mark[] = [];
  private size = 0;

  /** Begins to note the records that the blocks after the best one, with this number, replace. */
  mark(number: number): void {
    if (this.marks.at(-1)?.number === number) return;
    this.marks.push({ number, records: new Map() });
    this.grow();
  }

  /** Notes a record that a block at the top replaces. */
  note(name: string, replaced: KeyRecord): void {
    const records = this.marks.at(-1)?.records;
    if (records === undefined || records.has(name)) return;
    records.set(name, replaced);
    this.grow();
  }

  /**
   * Returns the records that the blocks from a mark to block `end` have replaced; undefined if there is no mark at this
   * number.
   */
  since(number: number, best: number): { records: ChangedRecords; end: number } | undefined {
    const at = this.marks.findLastIndex((mark) => mark.number === number);
    const mark = this.marks[at];
    return mark && { records: mark.records, end: this.marks[at + 1]?.number ?? best };
  }

  /**
   * Removes the marks of blocks above this number, which leave the best chain. The last remaining mark may then note
   * too many records, but correctly: those records are again as they were at the mark, or will be replaced again.
   */
  truncate(number: number): void {
    for (let last = this.marks.at(-1); last !== undefined && last.number >= number; last = this.marks.at(-1)) {
      this.size -= 1 + last.records.size;
      if (last.number > number) this.marks.pop();
      else {
        // Nothing has changed since the last mark.
        last.records = new Map();
        this.size++;
        return;
      }
    }
  }

  private grow(): void {
    this.size++;
    while (this.size > CAPACITY) this.size -= 1 + this.marks.shift()!.records.size;
  }
}
