import { EMPTY_BYTES, fromHex, leftPad } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { ripemd160 as portableRipemd160 } from "@noble/hashes/legacy.js";
import { createRIPEMD160 } from "hash-wasm";
import { gasSchedule } from "../gas-schedule.js";
import { wordCount } from "./input.js";

type Digest = (data: Uint8Array) => Uint8Array;

/**
 * WebAssembly once it is compiled. `node:crypto` is not used: OpenSSL builds without the legacy provider lack
 * RIPEMD-160, and it is slower for short inputs.
 */
let digest: Digest = portableRipemd160;

createRIPEMD160().then(
  (hasher) => {
    digest = (data) => hasher.init().update(data).digest("binary");
  },
  // The portable function serves where WebAssembly is not available.
  () => undefined,
);

/** RIPEMD-160 of the input, left-padded to a word (`spec/04 §6.1`). */
export const ripemd160: NativeContract = {
  address: fromHex("0000000000000000000000000000000000000003"),
  name: "RIPEMD160",
  isActive: () => true,
  gas(data, { rules }) {
    const costs = gasSchedule(rules);
    return costs.ripemd160 + costs.ripemd160Word * wordCount(data);
  },
  execute: (data) => leftPad(digest(data ?? EMPTY_BYTES), 32),
};
