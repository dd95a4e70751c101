import { random } from "@cambium/test-utils/random";

/** Random bytes and numbers, the same ones for a seed. No compression finds a pattern in the bytes. */
export class RandomSource {
  /** Returns a number from 0 to 1. */
  readonly fraction: () => number;

  constructor(seed: number) {
    this.fraction = random(seed);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  /** Returns a whole number from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** Returns the index of one of these shares, whose sum is 1, as often as its share says. */
  choice(shares: readonly number[]): number {
    let rest = this.fraction();
    return shares.findIndex((share) => (rest -= share) < 0);
  }
}
