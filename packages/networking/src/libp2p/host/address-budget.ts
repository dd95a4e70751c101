import { LruCache } from "@cambium/primitives";
import type { PeerId } from "../../interface.js";

const HOUR = 3_600_000;
/** Addresses accepted from one peer within an hour (`spec/07 §D.10`: poisoned peer exchange). */
export const NEW_ADDRESSES_PER_HOUR = 100;
/** Peers whose contributions are remembered. */
const SOURCES = 1024;

/** Limits the new addresses accepted from each peer within any hour. */
export class AddressBudget {
  /** Times at which addresses were accepted, oldest first. */
  private readonly accepted = new LruCache<PeerId, number[]>(SOURCES);

  /** `now` returns milliseconds. */
  constructor(private readonly now: () => number) {}

  /** How many of `count` new addresses may be accepted from a peer; these count from now on. */
  take(source: PeerId, count: number): number {
    const now = this.now();
    const recent = (this.accepted.get(source) ?? []).filter((at) => at > now - HOUR);
    const granted = Math.min(count, NEW_ADDRESSES_PER_HOUR - recent.length);
    if (granted > 0) this.accepted.set(source, [...recent, ...new Array<number>(granted).fill(now)]);
    return granted;
  }
}
