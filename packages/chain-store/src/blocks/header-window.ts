import type { BlockHeader } from "@cambium/types";
import type { ChainStore } from "./chain-store.js";

/** Power of two above the 449 headers that fork detection needs. */
const CAPACITY = 1024;

/**
 * Cache of the best chain's latest headers by number for the import: fork detection and the reward contract read
 * hundreds of ancestors for every block.
 */
export class HeaderWindow {
  private readonly headers: (BlockHeader | undefined)[] = new Array(CAPACITY).fill(undefined);

  constructor(private readonly store: ChainStore) {}

  get(number: number): BlockHeader | undefined {
    const held = this.headers[number % CAPACITY];
    if (held?.number === number) return held;
    const hash = this.store.hashAt(number);
    const header = hash === undefined ? undefined : this.store.header(hash);
    if (header !== undefined && held === undefined) this.headers[number % CAPACITY] = header;
    return header;
  }

  set(header: BlockHeader): void {
    this.headers[header.number % CAPACITY] = header;
  }

  /** Removes a number that is no longer on the best chain. */
  drop(number: number): void {
    if (this.headers[number % CAPACITY]?.number === number) this.headers[number % CAPACITY] = undefined;
  }
}
