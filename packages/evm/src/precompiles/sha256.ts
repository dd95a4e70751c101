import { hash } from "node:crypto";
import { EMPTY_BYTES, fromHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { gasSchedule } from "../gas-schedule.js";
import { wordCount } from "./input.js";

/** SHA-256 of the input (`spec/04 §6.1`). */
export const sha256: NativeContract = {
  address: fromHex("0000000000000000000000000000000000000002"),
  name: "SHA256",
  isActive: () => true,
  gas(data, { rules }) {
    const costs = gasSchedule(rules);
    return costs.sha256 + costs.sha256Word * wordCount(data);
  },
  execute: (data) => new Uint8Array(hash("sha256", data ?? EMPTY_BYTES, "buffer")),
};
