import { fromHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { gasSchedule } from "../gas-schedule.js";
import { wordCount } from "./input.js";

/** Returns the input, or null for the empty data field of a transaction (`spec/04 §6.1`, "data absent"). */
export const identity: NativeContract = {
  address: fromHex("0000000000000000000000000000000000000004"),
  name: "IDENTITY",
  isActive: () => true,
  gas(data, { rules }) {
    const costs = gasSchedule(rules);
    return costs.identity + costs.identityWord * wordCount(data);
  },
  // Copied because the input may be a view of the caller's memory.
  execute: (data) => (data === null ? null : data.slice()),
};
