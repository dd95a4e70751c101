import type { BlockHeader } from "@cambium/types";
import type { ChainStore } from "./chain-store.js";

/** Power of two above what fork detection looks back (449 headers). */
const CAPACITY = 1024;

/**
 * The best chain's latest headers by number, as the import sees it: fork detection and the reward contract look back
 * over hundreds of blocks for every block.
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

  /** The best chain no longer has a block with this number. */
  drop(number: number): void {
    if (this.headers[number % CAPACITY]?.number === number) this.headers[number % CAPACITY] = undefined;
  }
}
