/**
 * Number of a hash's words that are kept, except for one bit. Two hashes that share their first 16 bytes are infeasible
 * to find.
 */
const WORDS = 4;
const INITIAL_SLOTS = 1024;
/** Maximum load factor. */
const MAX_LOAD = 0.7;

/**
 * A set of possibly many millions of hashes: an open-addressing hash table in one array with 16 bytes per slot. The
 * first bytes of a hash serve as its hash function. A built-in `Set` takes ten times the memory and is limited to 2^24
 * entries.
 */
export class HashSet {
  /** A slot whose last word is zero is empty. */
  private slots = new Uint32Array(INITIAL_SLOTS * WORDS);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Adds a 32-byte hash; returns false if it is already present. */
  add(hash: Uint8Array): boolean {
    const [a, b, c] = [wordAt(hash, 0), wordAt(hash, 4), wordAt(hash, 8)];
    // Nonzero, because zero marks empty slots.
    const d = (wordAt(hash, 12) | 1) >>> 0;
    const at = find(this.slots, a, b, c, d);
    if (this.slots[at + 3] !== 0) return false;
    put(this.slots, at, a, b, c, d);
    this.count++;
    if (this.count * WORDS > this.slots.length * MAX_LOAD) this.grow();
    return true;
  }

  private grow(): void {
    const { slots } = this;
    const larger = new Uint32Array(slots.length * 2);
    for (let from = 0; from < slots.length; from += WORDS) {
      const [a, b, c, d] = [slots[from]!, slots[from + 1]!, slots[from + 2]!, slots[from + 3]!];
      if (d !== 0) put(larger, find(larger, a, b, c, d), a, b, c, d);
    }
    this.slots = larger;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** Index of the words, or of the empty slot where they belong. */
function find(slots: Uint32Array, a: number, b: number, c: number, d: number): number {
  const mask = slots.length / WORDS - 1;
  for (let slot = a & mask; ; slot = (slot + 1) & mask) {
    const at = slot * WORDS;
    if (slots[at + 3] === 0) return at;
    if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c && slots[at + 3] === d) return at;
  }
}

function put(slots: Uint32Array, at: number, a: number, b: number, c: number, d: number): void {
  slots[at] = a;
  slots[at + 1] = b;
  slots[at + 2] = c;
  slots[at + 3] = d;
}
