/** Words of a hash that are kept, but for one bit. Nobody can make two hashes that begin with the same 16 bytes. */
const WORDS = 4;
const FIRST_PLACES = 1024;
/** Share of the places that may be taken. */
const FULL = 0.7;

/**
 * A set of hashes that may be many millions: an open hash table in one array, 16 bytes a place, whose hash function is the
 * first bytes of a hash. The language's own set would take ten times the memory, and has no room for more than 2^24.
 */
export class HashSet {
  /** A place whose last word is zero is free. */
  private places = new Uint32Array(FIRST_PLACES * WORDS);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Adds a hash of 32 bytes; false where it is there already. */
  add(hash: Uint8Array): boolean {
    const [a, b, c] = [wordAt(hash, 0), wordAt(hash, 4), wordAt(hash, 8)];
    // Never zero.
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

/** Where the words are, or the free place where they would be. */
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
