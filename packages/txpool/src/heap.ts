/** Binary heap with the first entry by `compare` on top. */
export class Heap<T> {
  private readonly entries: T[] = [];

  constructor(private readonly compare: (a: T, b: T) => number) {}

  get size(): number {
    return this.entries.length;
  }

  peek(): T | undefined {
    return this.entries[0];
  }

  push(entry: T): void {
    const { entries } = this;
    let index = entries.length;
    entries.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.compare(entry, entries[parent]!) >= 0) break;
      entries[index] = entries[parent]!;
      index = parent;
    }
    entries[index] = entry;
  }

  pop(): T | undefined {
    const { entries } = this;
    const top = entries[0];
    const last = entries.pop();
    if (entries.length > 0) this.sink(last!);
    return top;
  }

  clear(): void {
    this.entries.length = 0;
  }

  /** Places an entry on top and sifts it down. */
  private sink(entry: T): void {
    const { entries } = this;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && this.compare(entries[child + 1]!, entries[child]!) < 0) child++;
      if (this.compare(entries[child]!, entry) >= 0) break;
      entries[index] = entries[child]!;
      index = child;
    }
    entries[index] = entry;
  }
}
