import { equalBytes } from "@cambium/primitives";
import type { Write } from "./database.js";

const FIRST_PLACES = 1024;
const NO_PLACES = new Int32Array(0);

/**
 * Index of changes whose keys are hashes: an open-addressing hash table of positions that uses the first bytes of a key
 * as its hash. A map would need a string for every key, and almost no key is ever read.
 */
export class HashIndex {
  /** Positions of indexed changes plus one; 0 marks an empty slot. */
  private places = NO_PLACES;
  private indexed = 0;

  constructor(private readonly changes: readonly Write[]) {}

  /** The change of a key in the current list; undefined if there is none. */
  get(hash: Uint8Array): Write | undefined {
    this.catchUp();
    const { places, changes } = this;
    if (places.length === 0) return undefined;
    for (let place = this.firstPlace(hash); places[place] !== 0; place = this.nextPlace(place)) {
      const change = changes[places[place]! - 1]!;
      if (equalBytes(change.key, hash)) return change;
    }
    return undefined;
  }

  private catchUp(): void {
    const { length } = this.changes;
    if (length * 2 > this.places.length) {
      this.places = new Int32Array(Math.max(FIRST_PLACES, 2 ** Math.ceil(Math.log2(length * 4))));
      this.indexed = 0;
    }
    for (; this.indexed < length; this.indexed++) {
      let place = this.firstPlace(this.changes[this.indexed]!.key);
      while (this.places[place] !== 0) place = this.nextPlace(place);
      this.places[place] = this.indexed + 1;
    }
  }

  private firstPlace(hash: Uint8Array): number {
    return (hash[0]! | (hash[1]! << 8) | (hash[2]! << 16) | (hash[3]! << 24)) & (this.places.length - 1);
  }

  private nextPlace(place: number): number {
    return (place + 1) & (this.places.length - 1);
  }
}
