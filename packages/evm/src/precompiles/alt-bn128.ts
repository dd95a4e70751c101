import { bigintToFixedBytes, EMPTY_BYTES, fromHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { type GasSchedule, gasSchedule } from "../gas-schedule.js";
import { altBn128, BN128_ORDER, type G1Point, type G2Point, isG1Point, isG2Point } from "./alt-bn128-curve.js";
import { PrecompileError } from "./errors.js";
import { encodePoint, readWord } from "./input.js";

/** Length of a pair of points, one of G1 and one of G2. */
const PAIR_LENGTH = 192;

function invalidPoint(): PrecompileError {
  return new PrecompileError({ code: "INVALID_POINT", curve: "alt_bn128" });
}

/**
 * The point of G1 at word `index`; (0, 0) is infinity. Throws {@link PrecompileError} `INVALID_POINT` if it is not on
 * the curve.
 */
function readG1(data: Uint8Array, index: number): G1Point {
  const point = { x: readWord(data, index), y: readWord(data, index + 1) };
  if (!isG1Point(point)) throw invalidPoint();
  return point;
}

/**
 * The point of G2 at word `index`, imaginary parts first. Throws {@link PrecompileError} `INVALID_POINT` if it is not
 * in the group.
 */
function readG2(data: Uint8Array, index: number): G2Point {
  const point = {
    x: { imaginary: readWord(data, index), real: readWord(data, index + 1) },
    y: { imaginary: readWord(data, index + 2), real: readWord(data, index + 3) },
  };
  if (!isG2Point(point)) throw invalidPoint();
  return point;
}

function add(data: Uint8Array): Uint8Array {
  return encodePoint(altBn128().add(readG1(data, 0), readG1(data, 2)));
}

function multiply(data: Uint8Array): Uint8Array {
  return encodePoint(altBn128().multiply(readG1(data, 0), readWord(data, 2) % BN128_ORDER));
}

function pairing(data: Uint8Array): Uint8Array {
  if (data.length % PAIR_LENGTH !== 0) {
    throw new PrecompileError({ code: "INVALID_LENGTH", contract: "BN128_PAIRING", actual: data.length });
  }
  const pairs = [];
  for (let word = 0; word * 32 < data.length; word += PAIR_LENGTH / 32) {
    pairs.push({ g1: readG1(data, word), g2: readG2(data, word + 2) });
  }
  return bigintToFixedBytes(altBn128().pairingIsOne(pairs) ? 1n : 0n, 32);
}

/**
 * A contract over the curve (`spec/04 §6.4`, RSKIP-137). Before RSKIP-197 it cannot fail: invalid input succeeds with
 * empty output.
 */
function curveContract(
  definition: Pick<NativeContract, "address" | "name" | "maxInput">,
  price: (costs: GasSchedule, data: Uint8Array) => number,
  operation: (data: Uint8Array) => Uint8Array,
): NativeContract {
  return {
    ...definition,
    isActive: (rules) => rules.rskip137,
    gas: (data, { rules }) => price(gasSchedule(rules), data ?? EMPTY_BYTES),
    execute(data, { rules }) {
      try {
        return operation(data ?? EMPTY_BYTES);
      } catch (error) {
        if (rules.rskip197 || !(error instanceof PrecompileError)) throw error;
        return EMPTY_BYTES;
      }
    },
  };
}

export const bn128Add: NativeContract = curveContract(
  { address: fromHex("0000000000000000000000000000000000000006"), name: "BN128_ADD", maxInput: 128 },
  (costs) => costs.bn128Add,
  add,
);

export const bn128Multiply: NativeContract = curveContract(
  { address: fromHex("0000000000000000000000000000000000000007"), name: "BN128_MUL", maxInput: 96 },
  (costs) => costs.bn128Multiply,
  multiply,
);

export const bn128Pairing: NativeContract = curveContract(
  { address: fromHex("0000000000000000000000000000000000000008"), name: "BN128_PAIRING" },
  (costs, { length }) => costs.bn128Pairing + costs.bn128Pair * Math.floor(length / PAIR_LENGTH),
  pairing,
);
