import { EMPTY_BYTES, fromHex, leftPad, recoverAddress } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { gasSchedule } from "../gas-schedule.js";
import { readPadded, readWord } from "./input.js";

/** Length of h, v and r: a shorter input gives empty output, while a missing s reads as zeros. */
const REQUIRED_LENGTH = 96;

/**
 * Recovers the address that signed a hash (`spec/04 §6.2`). Unlike Ethereum's contract, it reads only the last byte of
 * v and returns an address for the point at infinity.
 */
export const ecrecover: NativeContract = {
  address: fromHex("0000000000000000000000000000000000000001"),
  name: "ECRECOVER",
  isActive: () => true,
  maxInput: 128,
  gas: (_, { rules }) => gasSchedule(rules).ecrecover,
  execute(data) {
    if (data === null || data.length < REQUIRED_LENGTH) return EMPTY_BYTES;
    const v = data[63]!;
    if (v !== 27 && v !== 28) return EMPTY_BYTES;
    const signature = { r: readWord(data, 2), s: readWord(data, 3), recovery: v - 27 };
    const address = recoverAddress(readPadded(data, 0, 32), signature);
    return address === undefined ? EMPTY_BYTES : leftPad(address, 32);
  },
};
