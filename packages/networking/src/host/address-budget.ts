import { LruCache } from "@cambium/primitives";
import type { PeerId } from "../interface.js";

const HOUR = 3_600_000;
/** Addresses that one peer may tell us of within an hour (`spec/07 §D.10`: poisoned peer exchange). */
export const NEW_ADDRESSES_PER_HOUR = 100;
/** Peers who told us of something. */
const TELLERS = 1024;

/** How many new addresses are taken from each peer: so many within any hour. */
export class AddressBudget {
  /** When each of the addresses was taken, oldest first. */
  private readonly taken = new LruCache<PeerId, number[]>(TELLERS);

  /** `now` gives milliseconds. */
  constructor(private readonly now: () => number) {}

  /** How many of `count` new addresses may be taken from a peer; they count from now on. */
  take(teller: PeerId, count: number): number {
    const now = this.now();
    const recent = (this.taken.get(teller) ?? []).filter((at) => at > now - HOUR);
    const granted = Math.min(count, NEW_ADDRESSES_PER_HOUR - recent.length);
    if (granted > 0) this.taken.set(teller, [...recent, ...new Array<number>(granted).fill(now)]);
    return granted;
  }
}
