const INITIAL_SLOTS = 1024;
const MAX_LOAD = 0.85;
/** Offsets are multiples of this many bytes, so that 31 bits suffice for almost 32 GiB. */
export const RECORD_ALIGNMENT = 16;

/**
 * Offsets of records in a file by the first bytes of their hashes: an open-addressing hash table, 8 bytes per slot.
 * Several records may have the same first bytes, so the caller must compare the whole hash. Random keys scatter the
 * slots: otherwise hashes that were searched for would fill neighbouring ones, and each access would pass all of them.
 */
export class HashIndex {
  private readonly keys = crypto.getRandomValues(new Uint32Array(2));
  private heads = new Uint32Array(INITIAL_SLOTS);
  /** Twice the aligned offset plus one, plus one if the record is marked; 0 if the slot is empty. */
  private places = new Uint32Array(INITIAL_SLOTS);
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
    const head = this.headOf(hash);
    const mask = heads.length - 1;
    for (let slot = head & mask; places[slot] !== 0; slot = (slot + 1) & mask) {
      if (heads[slot] === head && isWanted(this.offsetAt(slot))) return slot;
    }
    return undefined;
  }

  offsetAt(slot: number): number {
    return ((this.places[slot]! - 1) >>> 1) * RECORD_ALIGNMENT;
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
    put(this.heads, this.places, this.headOf(hash), (offset / RECORD_ALIGNMENT) * 2 + 1);
  }

  /** Distinct for distinct first bytes. */
  private headOf(hash: Uint8Array): number {
    const [first, second] = this.keys as unknown as [number, number];
    let head = Math.imul((hash[0]! | (hash[1]! << 8) | (hash[2]! << 16) | (hash[3]! << 24)) ^ first, second | 1);
    head = Math.imul(head ^ (head >>> 16), first | 1);
    return (head ^ (head >>> 15)) >>> 0;
  }

  private grow(): void {
    const { heads, places } = this;
    this.heads = new Uint32Array(heads.length * 2);
    this.places = new Uint32Array(heads.length * 2);
    for (let slot = 0; slot < heads.length; slot++) {
      if (places[slot] !== 0) put(this.heads, this.places, heads[slot]!, places[slot]!);
    }
  }
}

function put(heads: Uint32Array, places: Uint32Array, head: number, place: number): void {
  const mask = heads.length - 1;
  let slot = head & mask;
  while (places[slot] !== 0) slot = (slot + 1) & mask;
  heads[slot] = head;
  places[slot] = place;
}
