const INITIAL_SLOTS = 1024;
const MAX_LOAD = 0.7;

/**
 * Offsets of records in a file by the first bytes of their hashes: an open-addressing hash table, 12 bytes per slot.
 * Several records may have the same first bytes, so the caller must compare the whole hash.
 */
export class HashIndex {
  private heads = new Uint32Array(INITIAL_SLOTS);
  /** Twice the offset plus one, plus one if the record is marked; 0 if the slot is empty. */
  private places = new Float64Array(INITIAL_SLOTS);
  private count = 0;
  private marks = 0;

  /** Number of records. */
  get size(): number {
    return this.count;
  }

  /** Number of marked records. */
  get marked(): number {
    return this.marks;
  }

  /**
   * Returns the slot of the record for which `isWanted`, called with offsets, returns true; undefined if there is none.
   */
  find(hash: Uint8Array, isWanted: (offset: number) => boolean): number | undefined {
    const { heads, places } = this;
    const head = headOf(hash);
    const mask = heads.length - 1;
    for (let slot = head & mask; places[slot] !== 0; slot = (slot + 1) & mask) {
      if (heads[slot] === head && isWanted(this.offsetAt(slot))) return slot;
    }
    return undefined;
  }

  offsetAt(slot: number): number {
    return Math.floor((this.places[slot]! - 1) / 2);
  }

  /** Marks the record of a slot. */
  mark(slot: number): void {
    if (this.places[slot]! % 2 === 0) return;
    this.places[slot]! += 1;
    this.marks++;
  }

  /** Adds a record that is not in the index. */
  add(hash: Uint8Array, offset: number): void {
    if (++this.count > this.heads.length * MAX_LOAD) this.grow();
    put(this.heads, this.places, headOf(hash), 2 * offset + 1);
  }

  private grow(): void {
    const { heads, places } = this;
    this.heads = new Uint32Array(heads.length * 2);
    this.places = new Float64Array(heads.length * 2);
    for (let slot = 0; slot < heads.length; slot++) {
      if (places[slot] !== 0) put(this.heads, this.places, heads[slot]!, places[slot]!);
    }
  }
}

function put(heads: Uint32Array, places: Float64Array, head: number, place: number): void {
  const mask = heads.length - 1;
  let slot = head & mask;
  while (places[slot] !== 0) slot = (slot + 1) & mask;
  heads[slot] = head;
  places[slot] = place;
}

function headOf(hash: Uint8Array): number {
  return (hash[0]! | (hash[1]! << 8) | (hash[2]! << 16) | (hash[3]! << 24)) >>> 0;
}
