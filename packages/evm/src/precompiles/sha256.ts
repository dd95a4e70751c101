import { hash } from "node:crypto";
import { EMPTY_BYTES, fromHex } from "@cambium/primitives";
import type { NativeContract } from "@cambium/state";
import { wordCount } from "./input.js";

/** SHA-256 of the input (`spec/04 §6.1`). */
export const sha256: NativeContract = {
  address: fromHex("0000000000000000000000000000000000000002"),
  name: "SHA256",
  isActive: () => true,
  gas: (data) => 60 + 12 * wordCount(data),
  execute: (data) => new Uint8Array(hash("sha256", data ?? EMPTY_BYTES, "buffer")),
};
