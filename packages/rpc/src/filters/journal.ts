/**
 * The last entries of a sequence that many readers follow, each from its own position. An entry's position never
 * changes; the oldest entries are let go beyond the capacity, or when nobody needs them.
 */
export class Journal<T> {
  private entries: T[] = [];
  private first = 0;

  constructor(private readonly capacity: number) {}

  /** Position of the oldest entry there is. */
  get start(): number {
    return this.first;
  }

  /** Position of the next entry to come. */
  get end(): number {
    return this.first + this.entries.length;
  }

  append(entry: T): void {
    this.entries.push(entry);
    // in large steps: a shift for every entry would move the whole array each time
    if (this.entries.length >= 2 * this.capacity) this.forgetBefore(this.end - this.capacity);
  }

  /** The entry at a position from `start` on; undefined at the end. */
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
