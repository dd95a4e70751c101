import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";

/*
 * The place of a node is where its path starts: the bits above it, which all keys below it have in common. A place as a
 * key of a store is these bits, padded with zeros to whole bytes, then the number of bits in the last byte. The nodes
 * below a place are close to each other in such a store.
 */

/** Place of the root. */
export const ROOT_PLACE = Uint8Array.of(0);

/** Returns the place at bit `start` of a key. */
export function placeAt(key: Uint8Array, start: number): Uint8Array {
  const length = (start + 7) >> 3;
  const place = new Uint8Array(length + 1);
  for (let i = 0; i < length; i++) place[i] = key[i]!;
  const used = start & 7;
  if (used !== 0) place[length - 1]! &= 0xff << (8 - used);
  place[length] = used;
  return place;
}

/** Returns a key that begins with the first `end` bits of another one, then a bit. */
export function keyBeyond(key: Uint8Array, end: number, bit: 0 | 1): Uint8Array {
  const out = new Uint8Array((end >> 3) + 1);
  const whole = Math.min(out.length, key.length);
  for (let i = 0; i < whole; i++) out[i] = key[i]!;
  const mask = 0x80 >> (end & 7);
  const last = out.length - 1;
  out[last] = bit === 1 ? out[last]! | mask : out[last]! & ~mask;
  return out;
}

/** Whether a place belongs to keys that continue `key` with a zero bit. */
export function isLeftBelow(place: Uint8Array, key: Uint8Array): boolean {
  const { length } = key;
  return place.length > length + 1 && place[length]! < 0x80 && equalBytes(place.subarray(0, length), key);
}

/** Placeholder where no place is needed, since the store finds nodes by their hashes. */
export const NO_KEY = EMPTY_BYTES;
