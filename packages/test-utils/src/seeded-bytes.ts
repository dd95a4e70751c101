import { random } from "./random.js";
import { SEED } from "./seed.js";

const next = random(SEED);

/** Returns random bytes, the same ones in every run with the same {@link SEED}. */
export function seededBytes(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, () => next() * 256);
}
