// Iteration order of the Java hash set that holds created releases: spec/06b-3 §8.1.

/** The fields that determine an element's hash. */
export interface Hashed {
  /** Transaction id in display order. */
  readonly txid: Uint8Array;
  /** Block in which the release was created. */
  readonly block: number;
}

const INITIAL_CAPACITY = 16;
const LOAD_FACTOR = 0.75;

function spread(entry: Hashed): number {
  const { txid, block } = entry;
  const tail = (txid[28]! << 24) | (txid[29]! << 16) | (txid[30]! << 8) | txid[31]!;
  const low = block >>> 0;
  const high = Math.floor(block / 2 ** 32) >>> 0;
  const hash = (Math.imul(31, (31 + tail) | 0) + (low ^ high)) | 0;
  return hash ^ (hash >>> 16);
}

/** Elements iterate by bucket in ascending order, and within a bucket in insertion order. */
export class JavaHashSet<T extends Hashed> {
  private elements: { element: T; spread: number }[] = [];
  private capacity: number;

  private constructor(expected: number) {
    const wanted = Math.max(Math.floor(expected / LOAD_FACTOR) + 1, INITIAL_CAPACITY);
    this.capacity = 2 ** Math.ceil(Math.log2(wanted));
  }

  /** A set that started empty and received the elements one by one. */
  static grown<T extends Hashed>(elements: readonly T[]): JavaHashSet<T> {
    return new JavaHashSet<T>(0).addAll(elements);
  }

  /** A set created with the capacity for the elements. */
  static copied<T extends Hashed>(elements: readonly T[]): JavaHashSet<T> {
    return new JavaHashSet<T>(elements.length).addAll(elements);
  }

  addAll(elements: readonly T[]): this {
    for (const element of elements) this.elements.push({ element, spread: spread(element) });
    while (this.elements.length > LOAD_FACTOR * this.capacity) this.capacity *= 2;
    return this;
  }

  /** Removal never shrinks the capacity. */
  remove(element: T): void {
    this.elements = this.elements.filter((other) => other.element !== element);
  }

  /** Elements in iteration order. */
  inOrder(): T[] {
    const mask = this.capacity - 1;
    return [...this.elements].sort((a, b) => (a.spread & mask) - (b.spread & mask)).map(({ element }) => element);
  }
}

/**
 * Returns the set after loading both cells: each is copied, the second copy is added to the first, and the result is
 * copied again.
 */
export function loadedSet<T extends Hashed>(withoutHash: readonly T[], withHash: readonly T[]): JavaHashSet<T> {
  const first = JavaHashSet.copied(JavaHashSet.grown(withoutHash).inOrder());
  const second = JavaHashSet.copied(JavaHashSet.grown(withHash).inOrder());
  return JavaHashSet.copied(first.addAll(second.inOrder()).inOrder());
}
