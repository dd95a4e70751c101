/**
 * The last entries of a sequence that many readers follow, each from its own position. The position of an entry never
 * changes. The oldest entries are dropped beyond the capacity, or once no reader needs them.
 */
export class Journal<T> {
  private entries: T[] = [];
  private first = 0;

  constructor(private readonly capacity: number) {}

  /** Position of the oldest entry. */
  get start(): number {
    return this.first;
  }

  /** Position of the next entry. */
  get end(): number {
    return this.first + this.entries.length;
  }

  append(entry: T): void {
    this.entries.push(entry);
    // Drops many entries at a time, since every removal moves the rest of the array.
    if (this.entries.length >= 2 * this.capacity) this.forgetBefore(this.end - this.capacity);
  }

  /** The entry at a position not before `start`; undefined at the end. */
  at(position: number): T | undefined {
    return this.entries[position - this.first];
  }

  findLast(accepts: (entry: T) => boolean): T | undefined {
    return this.entries.findLast(accepts);
  }

  forgetBefore(position: number): void {
    const count = Math.min(position - this.first, this.entries.length);
    if (count <= 0) return;
    this.entries = this.entries.slice(count);
    this.first += count;
  }
}
