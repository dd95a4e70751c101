import { counter } from "./measurements.js";

/** Counts the hits and misses of a cache. */
export interface MeasuredCache {
  /** Counts a hit and returns the found value. */
  hit<T>(found: T): T;
  miss(): void;
}

/** The counters of the caches with this name. */
export function measuredCache(cache: string): MeasuredCache {
  const count = (result: string) =>
    counter("cambium_cache_lookups_total", "Look-ups in caches in memory, by whether they found it", { cache, result });
  const [hits, misses] = [count("hit"), count("miss")];
  return {
    hit(found) {
      hits.add();
      return found;
    },
    miss() {
      misses.add();
    },
  };
}
