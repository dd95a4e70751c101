import { random } from "@cambium/test-utils/random";

/** Seeded random choices. */
export class RandomChoice {
  /** A number in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = random(seed);
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.next() * 256);
  }
}
