import { equalBytes } from "./bytes.js";
import { keccak256 } from "./keccak.js";

/** Power of two; one place for each value of the last two bytes of the input, folded. */
const PLACES = 1 << 14;

interface Known {
  input: Uint8Array;
  hash: Uint8Array;
}

/** Inputs by their last bytes. A later input takes the place of an earlier one, which bounds the memory. */
const known: (Known | undefined)[] = new Array(PLACES).fill(undefined);

/**
 * Keccak-256 of a short input that is likely to come again, as addresses, topics and storage slots do from block to
 * block. The hash is shared: it must not be changed.
 */
export function recentKeccak256(input: Uint8Array): Uint8Array {
  const { length } = input;
  if (length < 2 || length > 32) return keccak256(input);
  const place = ((input[length - 2]! << 8) | input[length - 1]!) & (PLACES - 1);
  const found = known[place];
  if (found !== undefined && equalBytes(found.input, input)) return found.hash;
  const hash = keccak256(input);
  known[place] = { input: input.slice(), hash };
  return hash;
}
