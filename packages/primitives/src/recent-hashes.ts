import { keccak256, keccak256View } from "./crypto/keccak.js";

/** Number of slots, a power of two; the last two bytes of the input, reduced, select the slot. */
const SLOTS = 1 << 14;
const LENGTH = 32;

/*
 * Recent inputs by their last bytes, and their hashes. A new input replaces the previous one in its slot, which bounds
 * the memory. The slots are no objects: the garbage collector would have to move and mark them, though most inputs
 * never recur.
 */
const inputs = new Uint8Array(SLOTS * LENGTH);
/** Lengths of the inputs; 0: the slot is empty. */
const lengths = new Uint8Array(SLOTS);
const hashes = new DataView(new ArrayBuffer(SLOTS * LENGTH));

const result = new Uint8Array(LENGTH);
const resultView = new DataView(result.buffer);

/**
 * Keccak-256 of a short input that is likely to recur, such as an address, topic or storage slot. The hash is valid
 * until the next call, and must not be changed.
 */
export function recentKeccak256(input: Uint8Array): Uint8Array {
  const { length } = input;
  if (length < 2 || length > LENGTH) return keccak256(input);
  const slot = ((input[length - 2]! << 8) | input[length - 1]!) & (SLOTS - 1);
  const start = slot * LENGTH;
  if (lengths[slot] !== length || !isAt(start, input)) {
    copyHash(keccak256View(input), 0, hashes, start);
    inputs.set(input, start);
    lengths[slot] = length;
  }
  copyHash(hashes, start, resultView, 0);
  return result;
}

function isAt(start: number, input: Uint8Array): boolean {
  for (let i = 0; i < input.length; i++) if (inputs[start + i] !== input[i]) return false;
  return true;
}

function copyHash(source: DataView, from: number, target: DataView, to: number): void {
  for (let i = 0; i < LENGTH; i += 4) target.setUint32(to + i, source.getUint32(from + i));
}
