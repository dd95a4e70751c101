import { bigintToFixedBytes, concatBytes } from "@cambium/primitives";
import { RandomChoice } from "./random-choice.js";

const WORD = 1n << 256n;

/** Numbers at which implementations tend to differ: powers of two that are the limits of integer types. */
const EDGES: readonly bigint[] = [
  ...[8n, 16n, 30n, 31n, 32n, 53n, 63n, 64n, 96n, 160n, 255n].map((bits) => 1n << bits),
  0n,
  1n,
  31n,
  32n,
  192n,
  213n,
  1024n,
  24576n,
  49152n,
  WORD,
];

/** Random choices and numbers, biased to edge values. */
export class RandomSource extends RandomChoice {
  /** Returns a 256-bit number: small, near an edge, or anything. */
  number(): bigint {
    const kind = this.next();
    if (kind < 0.4) return BigInt(this.below(100));
    if (kind < 0.8) return BigInt.asUintN(256, this.pick(EDGES) + BigInt(this.below(5) - 2));
    const bytes = this.bytes(1 + this.below(32));
    return bytes.reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  }

  word(): Uint8Array {
    return bigintToFixedBytes(this.number(), 32);
  }

  /** Returns mostly the value, sometimes any number. */
  around(value: number): bigint {
    return this.chance(0.85) ? BigInt(value) : this.number();
  }

  /** Returns the same bytes, sometimes truncated, extended or changed. */
  disturbed(bytes: Uint8Array): Uint8Array {
    if (this.chance(0.7)) return bytes;
    const kind = this.below(3);
    if (kind === 0) return bytes.slice(0, this.below(bytes.length + 1));
    if (kind === 1) return concatBytes(bytes, this.bytes(this.below(70)));
    const copy = bytes.slice();
    for (let changes = 1 + this.below(3); changes > 0 && copy.length > 0; changes--) {
      copy[this.below(copy.length)] = this.pick([0, 1, 0x7f, 0x80, 0xff]);
    }
    return copy;
  }
}
