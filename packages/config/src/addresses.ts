import { fromHex } from "@cambium/primitives";

/** Well-known addresses, the same on every network. */
export const BRIDGE_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000006");
export const REWARD_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000008");
export const HD_WALLET_UTILS_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000009");
export const BLOCK_HEADER_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000010");
export const ENVIRONMENT_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000011");

/** Sender of the reward transaction: the single byte 00, not the zero address (`spec/05 §2.4`). */
export const REWARD_SENDER: Uint8Array = Uint8Array.of(0);
