import { toData } from "@cambium/primitives";

export const ZERO_HASH = `0x${"00".repeat(32)}`;
export const ZERO_ADDRESS = `0x${"00".repeat(20)}`;

/** An address as 20 bytes of DATA. Empty ones (null miner, sender of reward transactions) become 20 zero bytes. */
export function addressData(address: Uint8Array | undefined): string {
  return address?.length === 20 ? toData(address) : ZERO_ADDRESS;
}

/** DATA; `0x` if absent. */
export function optionalData(bytes: Uint8Array | null): string {
  return bytes === null ? "0x" : toData(bytes);
}
