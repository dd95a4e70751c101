import { equalBytes } from "@cambium/primitives";
import type { Write } from "./database.js";

const FIRST_PLACES = 1024;

/**
 * Finds changes whose keys are hashes. An open hash table of positions whose hash function is the first bytes of the
 * key: a map would need a string for every key, and almost none are ever looked up.
 */
export class HashIndex {
  /** Changes found so far by position; a place holds a position plus one, or 0. */
  private places = new Int32Array(FIRST_PLACES);
  private indexed = 0;

  constructor(private readonly changes: readonly Write[]) {}

  /** The change of a key, as far as the list has grown by now. */
  get(hash: Uint8Array): Write | undefined {
    this.catchUp();
    const { places, changes } = this;
    for (let place = this.firstPlace(hash); places[place] !== 0; place = this.nextPlace(place)) {
      const change = changes[places[place]! - 1]!;
      if (equalBytes(change.key, hash)) return change;
    }
    return undefined;
  }

  private catchUp(): void {
    const { length } = this.changes;
    if (length * 2 > this.places.length) {
      this.places = new Int32Array(2 ** Math.ceil(Math.log2(length * 4)));
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
