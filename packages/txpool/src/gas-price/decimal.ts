/** A non-negative decimal number as a fraction of integers. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

/**
 * Returns the exact value of a finite, non-negative double's shortest decimal form: 1.1 is 11/10, and 1e23 is 10^23,
 * although the double is not.
 */
export function shortestDecimal(value: number): Fraction {
  const [mantissa, exponent = "0"] = value.toString().split("e");
  const [whole, digits = ""] = mantissa!.split(".");
  const power = Number(exponent) - digits.length;
  const numerator = BigInt(whole + digits);
  return power >= 0
    ? { numerator: numerator * 10n ** BigInt(power), denominator: 1n }
    : { numerator, denominator: 10n ** BigInt(-power) };
}

/** Rounds towards zero. */
export function truncate({ numerator, denominator }: Fraction): bigint {
  return numerator / denominator;
}
