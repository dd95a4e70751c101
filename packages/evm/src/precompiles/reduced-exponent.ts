import { bigintToBytes } from "@cambium/primitives";

// Exponents of small moduli, which are cheap and may be very long: spec/04 §6.3.

/** Modulus from which factorising takes too long. */
const MAX_MODULUS = 2 ** 26;
/**
 * Number of exponent bytes whose processing costs as much as the reduction itself, and number of trial divisions per
 * byte.
 */
const [LEAST_BYTES, DIVISIONS_A_BYTE] = [12, 40];

/** Whether a power of a short exponent takes longer than to find one. */
export function isReductionCheaper(bytes: number, modulus: number): boolean {
  return modulus < MAX_MODULUS && bytes > LEAST_BYTES + Math.sqrt(modulus) / DIVISIONS_A_BYTE;
}

/**
 * Returns a short exponent with the same powers modulo a number of 2 or more. x^e depends only on e modulo the
 * Carmichael value λ of the modulus if e is at least each prime's multiplicity in the modulus (at most 25). Takes a
 * step for every three bytes.
 */
export function reducedExponent(exponent: Uint8Array, modulus: number): Uint8Array {
  const lambda = carmichael(modulus);
  const head = exponent.length % 3;
  let reduced = 0;
  for (let i = 0; i < head; i++) reduced = remainder(reduced * 256 + exponent[i]!, lambda);
  for (let i = head; i < exponent.length; i += 3) {
    const chunk = (exponent[i]! << 16) | (exponent[i + 1]! << 8) | exponent[i + 2]!;
    reduced = remainder(reduced * 2 ** 24 + chunk, lambda);
  }
  return bigintToBytes(BigInt(reduced + 32 * lambda));
}

/** Returns a mod m of numbers below 2^53, by a rounded quotient: twice as fast as `%` on doubles of this size. */
function remainder(a: number, m: number): number {
  const rest = a - Math.floor(a / m) * m;
  return rest < 0 ? rest + m : rest >= m ? rest - m : rest;
}

/** Smallest m with x^m = 1 for all x coprime to `modulus` (2 or more). */
function carmichael(modulus: number): number {
  let lambda = 1;
  let rest = modulus;
  for (let prime = 2; prime * prime <= rest; prime += prime === 2 ? 1 : 2) {
    let power = 1;
    for (; rest % prime === 0; rest /= prime) power *= prime;
    if (power > 1) lambda = leastCommonMultiple(lambda, carmichaelOfPrimePower(prime, power));
  }
  return rest > 1 ? leastCommonMultiple(lambda, rest - 1) : lambda;
}

function carmichaelOfPrimePower(prime: number, power: number): number {
  if (prime === 2 && power > 4) return power / 4;
  return power - power / prime;
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
