/** Words of a hash that are kept, except for one bit. Hashes that share their first 16 bytes are infeasible to find. */
const WORDS = 4;
const FIRST_PLACES = 1024;
/** Maximum load factor. */
const FULL = 0.7;

/**
 * A set of possibly many millions of hashes: an open-addressing hash table in one array with 16 bytes per slot. The
 * first bytes of a hash serve as its hash function. A built-in `Set` takes ten times the memory and is limited to 2^24
 * entries.
 */
export class HashSet {
  /** A slot whose last word is zero is empty. */
  private places = new Uint32Array(FIRST_PLACES * WORDS);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Adds a 32-byte hash; returns false if it is already present. */
  add(hash: Uint8Array): boolean {
    const [a, b, c] = [wordAt(hash, 0), wordAt(hash, 4), wordAt(hash, 8)];
    // Never zero, which marks empty slots.
    const d = (wordAt(hash, 12) | 1) >>> 0;
    const at = find(this.places, a, b, c, d);
    if (this.places[at + 3] !== 0) return false;
    put(this.places, at, a, b, c, d);
    this.count++;
    if (this.count * WORDS > this.places.length * FULL) this.grow();
    return true;
  }

  private grow(): void {
    const { places } = this;
    const larger = new Uint32Array(places.length * 2);
    for (let from = 0; from < places.length; from += WORDS) {
      const [a, b, c, d] = [places[from]!, places[from + 1]!, places[from + 2]!, places[from + 3]!];
      if (d !== 0) put(larger, find(larger, a, b, c, d), a, b, c, d);
    }
    this.places = larger;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** Index of the words, or of the empty slot where they belong. */
function find(places: Uint32Array, a: number, b: number, c: number, d: number): number {
  const mask = places.length / WORDS - 1;
  for (let place = a & mask; ; place = (place + 1) & mask) {
    const at = place * WORDS;
    if (places[at + 3] === 0) return at;
    if (places[at] === a && places[at + 1] === b && places[at + 2] === c && places[at + 3] === d) return at;
  }
}

function put(places: Uint32Array, at: number, a: number, b: number, c: number, d: number): void {
  places[at] = a;
  places[at + 1] = b;
  places[at + 2] = c;
  places[at + 3] = d;
}
