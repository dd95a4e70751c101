import { MAX_MODULUS, NumberField } from "./number-field.js";
import { isReductionCheaper, reducedExponent } from "./reduced-exponent.js";

/**
 * `base ^ exponent mod modulus`. The exponent is a big-endian byte string. `modulus` is positive.
 *
 * Speed matters because the price counts operand bytes (EIP-198): small moduli with huge exponents are nearly free, so
 * they have their own paths.
 */
export function modularPower(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  if (modulus === 1n) return 0n;
  let start = 0;
  while (start < exponent.length && exponent[start] === 0) start++;
  if (start === exponent.length) return 1n;
  const residue = base % modulus;
  if (residue <= 1n) return residue;
  const significant = exponent.subarray(start);
  if (modulus <= MAX_MODULUS) {
    return BigInt(powerOfNumbers(Number(residue), significant, Number(modulus)));
  }
  return powerByWindows(residue, significant, modulus);
}

function powerOfNumbers(base: number, exponent: Uint8Array, modulus: number): number {
  const field = new NumberField(modulus);
  return field.power(
    base,
    isReductionCheaper(exponent.length, modulus) ? reducedExponent(exponent, modulus) : exponent,
  );
}

/** Window size by the number of exponent bits: a table of 2^(w-1) powers must pay off. */
function windowSize(bits: number): number {
  return bits <= 8 ? 1 : bits <= 48 ? 3 : bits <= 256 ? 4 : bits <= 1024 ? 5 : 6;
}

/** Left-to-right sliding windows over odd powers. Plain remainders make even moduli as fast as odd ones. */
function powerByWindows(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
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
  return result;
}

/** Bit `position`, counted from the most significant one. */
function bitAt(bytes: Uint8Array, position: number): number {
  return (bytes[position >> 3]! >> (7 - (position & 7))) & 1;
}
