import { fromHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { gasSchedule } from "../gas-schedule.js";
import { compress } from "./blake2b-compression.js";
import { PrecompileError } from "./errors.js";

const INPUT_LENGTH = 213;
const FLAG = 212;

/** BLAKE2b's compression function F with a given number of rounds: EIP-152, `spec/04 §6.5` (RSKIP-153). */
export const blake2f: NativeContract = {
  address: fromHex("0000000000000000000000000000000000000009"),
  name: "BLAKE2F",
  isActive: (rules) => rules.rskip153,
  maxInput: INPUT_LENGTH,
  gas(data, { rules }) {
    // The deployed client fails with an internal error on absent data before RSKIP-552, so no block can contain such a
    // transaction.
    if (data === null && !rules.rskip552) throw new PrecompileError({ code: "DATA_ABSENT", contract: "BLAKE2F" });
    return data?.length === INPUT_LENGTH ? gasSchedule(rules).blake2fRound * viewOf(data).getUint32(0) : 0;
  },
  execute(data) {
    if (data?.length !== INPUT_LENGTH) {
      throw new PrecompileError({ code: "INVALID_LENGTH", contract: "BLAKE2F", actual: data?.length ?? 0 });
    }
    const flag = data[FLAG]!;
    if (flag > 1) throw new PrecompileError({ code: "INVALID_FINAL_FLAG", value: flag });
    const rounds = viewOf(data).getUint32(0);
    return compress(rounds, data.subarray(4, 68), data.subarray(68, 196), data.subarray(196, 212), flag === 1);
  },
};

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
