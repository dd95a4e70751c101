import { bigintToBytes } from "@cambium/primitives";

/**
 * `base ^ exponent mod modulus`. The exponent is a big-endian byte string followed by `trailingZeros` implicit zero
 * bytes, because inputs may claim a length far beyond their end. `modulus` is positive.
 *
 * Speed matters because the price counts operand bytes (EIP-198): small moduli with huge exponents are nearly free, so
 * they have their own path.
 */
export function modularPower(base: bigint, exponent: Uint8Array, trailingZeros: number, modulus: bigint): bigint {
  if (modulus === 1n) return 0n;
  let start = 0;
  while (start < exponent.length && exponent[start] === 0) start++;
  if (start === exponent.length) return 1n;
  const residue = base % modulus;
  if (residue <= 1n) return residue;
  const significant = exponent.subarray(start);
  if (modulus < SMALL_MODULUS) {
    return BigInt(smallPower(Number(residue), significant, trailingZeros, Number(modulus)));
  }
  return powerByWindows(residue, significant, trailingZeros, modulus);
}

/** Below this modulus, products of residues are exact in double precision. */
const SMALL_MODULUS = 2n ** 26n;
/** Exponent length in bytes from which reducing it is worth factorising a small modulus. */
const LONG_EXPONENT = 512;

/** Window size by the number of exponent bits: a table of 2^(w-1) powers must pay off. */
function windowSize(bits: number): number {
  return bits <= 8 ? 1 : bits <= 48 ? 3 : bits <= 256 ? 4 : bits <= 1024 ? 5 : 6;
}

/** Left-to-right sliding windows over odd powers. Plain remainders make even moduli as fast as odd ones. */
function powerByWindows(base: bigint, exponent: Uint8Array, trailingZeros: number, modulus: bigint): bigint {
  const bits = exponent.length * 8;
  const size = windowSize(bits);
  const oddPowers = [base];
  const square = (base * base) % modulus;
  for (let i = 1; i < 1 << (size - 1); i++) oddPowers.push((oddPowers[i - 1]! * square) % modulus);

  let result = 1n;
  let position = 0;
  while (position < bits) {
    if (bitAt(exponent, position) === 0) {
      result = (result * result) % modulus;
      position++;
      continue;
    }
    let end = Math.min(position + size, bits);
    while (bitAt(exponent, end - 1) === 0) end--;
    let window = 0;
    for (; position < end; position++) {
      window = window * 2 + bitAt(exponent, position);
      result = (result * result) % modulus;
    }
    result = (result * oddPowers[window >> 1]!) % modulus;
  }
  for (let i = 0; i < trailingZeros * 8 && result > 1n; i++) result = (result * result) % modulus;
  return result;
}

/** Bit `position`, counted from the most significant one. */
function bitAt(bytes: Uint8Array, position: number): number {
  return (bytes[position >> 3]! >> (7 - (position & 7))) & 1;
}

/** Power with a modulus below {@link SMALL_MODULUS}; the first exponent byte is not zero. */
function smallPower(base: number, exponent: Uint8Array, trailingZeros: number, modulus: number): number {
  if (exponent.length + trailingZeros <= LONG_EXPONENT) {
    let result = 1;
    for (let i = 0; i < exponent.length * 8; i++) {
      result = multiplySmall(result, result, modulus);
      if (bitAt(exponent, i) === 1) result = multiplySmall(result, base, modulus);
    }
    for (let i = 0; i < trailingZeros * 8; i++) result = multiplySmall(result, result, modulus);
    return result;
  }
  return smallPower(base, bigintToBytes(BigInt(reduceExponent(exponent, trailingZeros, modulus))), 0, modulus);
}

/** a·b mod m by a rounded quotient, twice as fast as `%` on doubles of this size. */
function multiplySmall(a: number, b: number, modulus: number): number {
  const product = a * b;
  const remainder = product - Math.floor(product / modulus) * modulus;
  return remainder < 0 ? remainder + modulus : remainder >= modulus ? remainder - modulus : remainder;
}

/**
 * A shorter exponent with the same power. x^e depends only on e modulo the Carmichael value λ of the modulus if e is at
 * least each prime's multiplicity in the modulus (at most 25). Takes one step per byte and none per trailing zero.
 */
function reduceExponent(exponent: Uint8Array, trailingZeros: number, modulus: number): number {
  const lambda = carmichael(modulus);
  let reduced = 0;
  for (const byte of exponent) reduced = (reduced * 256 + byte) % lambda;
  const shift = modularPower(2n, bigintToBytes(BigInt(trailingZeros * 8)), 0, BigInt(lambda));
  return multiplySmall(reduced, Number(shift), lambda) + 32 * lambda;
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
