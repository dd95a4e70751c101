import { concatBytes, fromHex } from "@cambium/primitives";

/** Logs one word under one topic. */
export const LOGGER = fromHex("604260206000a100");

/** Init code that deploys `runtime`, at most 255 bytes. */
export function creationOf(runtime: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(0x60, runtime.length), fromHex("80600b6000396000f3"), runtime);
}

/** Counts down from 200,000: 5.2 million gas. */
export const SLOW = fromHex("62030d405b600190038060045700");

/** Code that reverts with this output, at most 65535 bytes. */
export function revertingWith(output: Uint8Array): Uint8Array {
  const length = Uint8Array.of(0x61, output.length >> 8, output.length & 0xff);
  return concatBytes(length, fromHex("61000f600039"), length, fromHex("6000fd"), output);
}
