import { bigintToFixedBytes, bytesToBigint, EMPTY_BYTES, fromHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { gasSchedule } from "../gas-schedule.js";
import { readPadded, readWord } from "./input.js";
import { modularPower } from "./modular-power.js";

/** Lengths and offsets are signed 32-bit integers in the deployed client; larger lengths are clamped. */
const MAX_INT32 = 0x7fffffff;
const ARGUMENTS_OFFSET = 96;
/** Leading exponent bytes whose highest bit enters the price. */
const EXPONENT_HEAD = 32;

interface Lengths {
  base: number;
  exponent: number;
  modulus: number;
}

function readLengths(data: Uint8Array): Lengths {
  return { base: readLength(data, 0), exponent: readLength(data, 1), modulus: readLength(data, 2) };
}

function readLength(data: Uint8Array, index: number): number {
  const value = readWord(data, index);
  return value > BigInt(MAX_INT32) ? MAX_INT32 : Number(value);
}

/** The price of EIP-198; this chain did not adopt later repricings (`spec/04 §6.3`). */
function price(data: Uint8Array, divisor: number): number {
  const lengths = readLengths(data);
  const adjusted = Math.max(adjustedExponentLength(data, lengths), 1);
  const gas = (multiplicationComplexity(Math.max(lengths.base, lengths.modulus)) * BigInt(adjusted)) / BigInt(divisor);
  // The deployed client saturates at 2^63 - 1. No call has even 2^53 gas, so a lower cut-off makes no difference.
  return gas > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(gas);
}

function multiplicationComplexity(length: number): bigint {
  const x = BigInt(length);
  if (x <= 64n) return x * x;
  if (x <= 1024n) return (x * x) / 4n + 96n * x - 3072n;
  return (x * x) / 16n + 480n * x - 199680n;
}

/**
 * Bit index of the exponent's highest bit within its first 32 bytes, plus 8 per further byte. Bytes beyond the input
 * are zero.
 */
function adjustedExponentLength(data: Uint8Array, lengths: Lengths): number {
  const offset = ARGUMENTS_OFFSET + lengths.base;
  const length = Math.min(lengths.exponent, EXPONENT_HEAD);
  const inReach = offset <= MAX_INT32 && offset < data.length;
  const head = inReach ? bytesToBigint(readPadded(data, offset, length)) : 0n;
  const highestBit = head === 0n ? 0 : head.toString(2).length - 1;
  return highestBit + 8 * Math.max(0, lengths.exponent - EXPONENT_HEAD);
}

/** Returns an argument as a number. Allocates nothing for the part beyond the input, which reads as zeros. */
function readArgument(data: Uint8Array, offset: number, length: number): bigint {
  if (offset >= data.length) return 0n;
  const present = data.subarray(offset, offset + length);
  return bytesToBigint(present) << BigInt(8 * (length - present.length));
}

/** Modular exponentiation (`spec/04 §6.3`). */
export const modexp: NativeContract = {
  address: fromHex("0000000000000000000000000000000000000005"),
  name: "MODEXP",
  isActive: () => true,
  gas: (data, { rules }) => price(data ?? EMPTY_BYTES, gasSchedule(rules).modexpDivisor),
  execute(data) {
    if (data === null) return EMPTY_BYTES;
    const lengths = readLengths(data);
    if (lengths.base === 0 && lengths.modulus === 0) return EMPTY_BYTES;
    const exponentOffset = ARGUMENTS_OFFSET + lengths.base;
    const modulusOffset = exponentOffset + lengths.exponent;
    if (modulusOffset > MAX_INT32) return EMPTY_BYTES;

    const modulus = readArgument(data, modulusOffset, lengths.modulus);
    if (modulus === 0n) return new Uint8Array(lengths.modulus);
    const base = readArgument(data, ARGUMENTS_OFFSET, lengths.base);
    // The data reach beyond the exponent, since the modulus is not 0.
    const power = modularPower(base, data.subarray(exponentOffset, modulusOffset), modulus);
    return bigintToFixedBytes(power, lengths.modulus);
  },
};
