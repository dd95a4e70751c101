import { equalBytes } from "./bytes.js";
import { keccak256 } from "./keccak.js";

/** Number of slots, a power of two; the last two bytes of the input, reduced, select the slot. */
const SLOTS = 1 << 14;

interface Known {
  input: Uint8Array;
  hash: Uint8Array;
}

/** Recent inputs by their last bytes. A new input replaces the previous one in its slot, which bounds the memory. */
const known: (Known | undefined)[] = new Array(SLOTS).fill(undefined);

/**
 * Keccak-256 of a short input that is likely to recur, such as an address, topic or storage slot. The hash is shared
 * and must not be changed.
 */
export function recentKeccak256(input: Uint8Array): Uint8Array {
  const { length } = input;
  if (length < 2 || length > 32) return keccak256(input);
  const slot = ((input[length - 2]! << 8) | input[length - 1]!) & (SLOTS - 1);
  const found = known[slot];
  if (found !== undefined && equalBytes(found.input, input)) return found.hash;
  const hash = keccak256(input);
  known[slot] = { input: input.slice(), hash };
  return hash;
}
