import { allocateBytes, recentKeccak256 } from "@cambium/primitives";
import type { Log } from "./interface.js";

/** Length of a logs bloom in bytes. */
export const BLOOM_LENGTH = 256;

/** The bloom of no logs, which half of all receipts share. */
const EMPTY_BLOOM: Uint8Array = new Uint8Array(BLOOM_LENGTH);

/** Sets the three bits of `value` in `bloom` (`spec/01 §3.6`). */
export function addToBloom(bloom: Uint8Array, value: Uint8Array): void {
  const hash = recentKeccak256(value);
  for (let i = 0; i < 6; i += 2) {
    const bit = ((hash[i]! & 7) << 8) | hash[i + 1]!;
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  }
}

/** Returns the bloom of the addresses and topics of logs; it may be shared and must not be changed. */
export function bloomOfLogs(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = allocateBytes(BLOOM_LENGTH);
  for (const log of logs) {
    addToBloom(bloom, log.address);
    for (const topic of log.topics) addToBloom(bloom, topic);
  }
  return bloom;
}

/** Union of blooms; a header's bloom is the union of its receipts' blooms. */
export function uniteBlooms(blooms: Iterable<Uint8Array>): Uint8Array {
  const union = new Uint8Array(BLOOM_LENGTH);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let i = 0; i < BLOOM_LENGTH; i++) union[i]! |= bloom[i]!;
  }
  return union;
}

/** Whether `bloom` may contain `value`. */
export function bloomContains(bloom: Uint8Array, value: Uint8Array): boolean {
  return bloomTest(value)(bloom);
}

/** Returns a test whether blooms may contain `value`, which is hashed only once. */
export function bloomTest(value: Uint8Array): (bloom: Uint8Array) => boolean {
  const hash = recentKeccak256(value);
  const bits = [0, 2, 4].map((i) => ((hash[i]! & 7) << 8) | hash[i + 1]!);
  return (bloom) => bits.every((bit) => (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0);
}
