import { OUT_OF_GAS } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { toBigint, toClampedNumber, toSigned, toWord, wrap } from "../words.js";

// Less frequent arithmetic: spec/04 §5.1.

const SIGN_BIT = 1n << 255n;
const ALL_ONES = (1n << 256n) - 1n;

export function sdiv(frame: Frame): void {
  const a = toSigned(frame.pop());
  const b = toSigned(frame.pop());
  frame.push(b === 0n ? 0 : wrap(a / b));
}

export function smod(frame: Frame): void {
  const a = toSigned(frame.pop());
  const b = toSigned(frame.pop());
  frame.push(b === 0n ? 0 : wrap(a % b));
}

export function addmod(frame: Frame): void {
  const sum = toBigint(frame.pop()) + toBigint(frame.pop());
  const modulus = toBigint(frame.pop());
  frame.push(modulus === 0n ? 0 : toWord(sum % modulus));
}

export function mulmod(frame: Frame): void {
  const product = toBigint(frame.pop()) * toBigint(frame.pop());
  const modulus = toBigint(frame.pop());
  frame.push(modulus === 0n ? 0 : toWord(product % modulus));
}

export function slt(frame: Frame): void {
  const a = toSigned(frame.pop());
  frame.push(a < toSigned(frame.pop()) ? 1 : 0);
}

export function sgt(frame: Frame): void {
  const a = toSigned(frame.pop());
  frame.push(a > toSigned(frame.pop()) ? 1 : 0);
}

export function xor(frame: Frame): void {
  frame.push(toWord(toBigint(frame.pop()) ^ toBigint(frame.pop())));
}

export function exp(frame: Frame, { costs }: Execution): void {
  const base = toBigint(frame.pop());
  const exponent = toBigint(frame.pop());
  const digits = exponent === 0n ? "" : exponent.toString(16);
  frame.gas -= costs.exponentByte * Math.ceil(digits.length / 2);
  if (frame.gas < 0) throw OUT_OF_GAS;
  frame.push(toWord(power(base, exponent, digits)));
}

/** base^exponent modulo 2^256, by the exponent's hexadecimal digits from the left. */
function power(base: bigint, exponent: bigint, digits: string): bigint {
  if (base === 2n) return exponent >= 256n ? 0n : 1n << exponent;
  if ((base & 1n) === 0n && exponent >= 256n) return 0n;
  const powers = [1n, base];
  let result = 1n;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number.parseInt(digits[i]!, 16);
    while (powers.length <= digit) powers.push(wrap(powers.at(-1)! * base));
    if (i > 0) result = toThe16th(result);
    if (digit > 0) result = wrap(result * powers[digit]!);
  }
  return result;
}

function toThe16th(value: bigint): bigint {
  const square = wrap(value * value);
  const fourth = wrap(square * square);
  const eighth = wrap(fourth * fourth);
  return wrap(eighth * eighth);
}

export function signextend(frame: Frame): void {
  const index = toClampedNumber(frame.pop());
  if (index >= 31) return;
  const bits = (index + 1) * 8;
  frame.push(wrap(BigInt.asIntN(bits, toBigint(frame.pop()))));
}

export function byte(frame: Frame): void {
  const index = toClampedNumber(frame.pop());
  const value = toBigint(frame.pop());
  frame.push(index >= 32 ? 0 : Number((value >> BigInt(8 * (31 - index))) & 0xffn));
}

export function sar(frame: Frame): void {
  const shift = toClampedNumber(frame.pop());
  const value = toBigint(frame.pop());
  if (shift >= 256) frame.push((value & SIGN_BIT) === 0n ? 0 : ALL_ONES);
  else frame.push(toWord(wrap(BigInt.asIntN(256, value) >> BigInt(shift))));
}
