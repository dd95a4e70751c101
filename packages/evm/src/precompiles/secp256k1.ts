import { EMPTY_BYTES, fromHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { gasSchedule } from "../gas-schedule.js";
import { PrecompileError } from "./errors.js";
import { encodePoint, readWord } from "./input.js";
import { addPoints, type CurvePoint, isCurvePoint, multiplyPoint } from "./secp256k1-curve.js";

/**
 * The point at word `index`; (0, 0) is infinity. Throws {@link PrecompileError} `INVALID_POINT` if it is not on the
 * curve.
 */
function readPoint(data: Uint8Array, index: number): CurvePoint {
  const point = { x: readWord(data, index), y: readWord(data, index + 1) };
  if (!isCurvePoint(point)) throw new PrecompileError({ code: "INVALID_POINT", curve: "secp256k1" });
  return point;
}

/** Sum of two points: `spec/04 §6.6` (RSKIP-516). */
export const secp256k1Add: NativeContract = {
  address: fromHex("0000000000000000000000000000000001000016"),
  name: "SECP256K1_ADD",
  isActive: (rules) => rules.rskip516,
  maxInput: 128,
  gas: (_, { rules }) => gasSchedule(rules).secp256k1Add,
  execute(data) {
    const input = data ?? EMPTY_BYTES;
    return encodePoint(addPoints(readPoint(input, 0), readPoint(input, 2)));
  },
};

/** Multiple of a point: `spec/04 §6.6` (RSKIP-516). */
export const secp256k1Multiply: NativeContract = {
  address: fromHex("0000000000000000000000000000000001000017"),
  name: "SECP256K1_MUL",
  isActive: (rules) => rules.rskip516,
  maxInput: 96,
  gas: (_, { rules }) => gasSchedule(rules).secp256k1Multiply,
  execute(data) {
    const input = data ?? EMPTY_BYTES;
    return encodePoint(multiplyPoint(readPoint(input, 0), readWord(input, 2)));
  },
};
