/** Largest modulus of a {@link NumberField}. */
export const MAX_MODULUS = 2n ** 50n;

/** Multiplied by it, a number is split into its upper and lower 26 bits. */
const SPLITTER = 2 ** 27 + 1;

/** Arithmetic modulo a number up to {@link MAX_MODULUS}, in double precision: several times as fast as with bigints. */
export class NumberField {
  private readonly inverse: number;
  private readonly modulusHigh: number;
  private readonly modulusLow: number;

  constructor(private readonly modulus: number) {
    this.inverse = 1 / modulus;
    const scaled = SPLITTER * modulus;
    this.modulusHigh = scaled - (scaled - modulus);
    this.modulusLow = modulus - this.modulusHigh;
  }

  /**
   * Returns a·b mod m of residues. Both a·b and q·m, with a quotient q that is wrong by 1 at most, are computed
   * exactly, as a product and its rounding error (Dekker 1971). Their difference is small, and therefore exact.
   */
  multiply(a: number, b: number): number {
    const { modulus } = this;
    const product = a * b;
    const scaledA = SPLITTER * a;
    const highA = scaledA - (scaledA - a);
    const lowA = a - highA;
    const scaledB = SPLITTER * b;
    const highB = scaledB - (scaledB - b);
    const lowB = b - highB;
    const productError = highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;

    const quotient = Math.floor(product * this.inverse);
    const multiple = quotient * modulus;
    const scaledQ = SPLITTER * quotient;
    const highQ = scaledQ - (scaledQ - quotient);
    const lowQ = quotient - highQ;
    const { modulusHigh, modulusLow } = this;
    const multipleError = highQ * modulusHigh - multiple + highQ * modulusLow + lowQ * modulusHigh + lowQ * modulusLow;

    const rest = product - multiple + (productError - multipleError);
    return rest < 0 ? rest + modulus : rest >= modulus ? rest - modulus : rest;
  }

  /** The power of a residue. Takes four bits at a time, from the left. */
  power(base: number, exponent: Uint8Array): number {
    const powers = [1 % this.modulus, base];
    for (let i = 2; i < 16; i++) powers.push(this.multiply(powers[i - 1]!, base));
    let result = powers[0]!;
    for (let i = 0; i < exponent.length; i++) {
      const byte = exponent[i]!;
      result = this.multiply(this.toThe16th(result), powers[byte >> 4]!);
      result = this.multiply(this.toThe16th(result), powers[byte & 15]!);
    }
    return result;
  }

  private toThe16th(a: number): number {
    let result = a;
    for (let i = 0; i < 4; i++) result = this.multiply(result, result);
    return result;
  }
}
