import { EMPTY_BYTES, fromHex, leftPad } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { ripemd160 as portableRipemd160 } from "@noble/hashes/legacy.js";
import { createRIPEMD160 } from "hash-wasm";
import { gasSchedule } from "../gas-schedule.js";
import { wordCount } from "./input.js";

type Digest = (data: Uint8Array) => Uint8Array;

/**
 * WebAssembly if it loads. `node:crypto` is not used: OpenSSL builds without the legacy provider lack RIPEMD-160, and
 * it is slower for short inputs.
 */
const digest: Digest = (await loadFastRipemd160()) ?? portableRipemd160;

async function loadFastRipemd160(): Promise<Digest | undefined> {
  try {
    const hasher = await createRIPEMD160();
    return (data) => hasher.init().update(data).digest("binary");
  } catch {
    return undefined;
  }
}

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
