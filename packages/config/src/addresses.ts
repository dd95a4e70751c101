import { fromHex } from "@cambium/primitives";

/** Well-known addresses, the same on every network. */
export const BRIDGE_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000006");
export const REWARD_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000008");
export const HD_WALLET_UTILS_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000009");
export const BLOCK_HEADER_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000010");
export const ENVIRONMENT_ADDRESS: Uint8Array = fromHex("0000000000000000000000000000000001000011");

/**
 * The contract that changes the state for tools of developers, on networks for development only: "cambium state editor"
 * in ASCII.
 */
export const STATE_EDITOR_ADDRESS: Uint8Array = fromHex("63616d6269756d20737461746520656469746f72");
/** The only account that it obeys. Its key is public: the Keccak-256 of "cambium state editor account". */
export const STATE_EDITOR_ACCOUNT: Uint8Array = fromHex("796066b29bebe16ff95d3d6405a73cc9b4b8b742");

/** Sender of the reward transaction: the single byte 00, not the zero address (`spec/05 §2.4`). */
export const REWARD_SENDER: Uint8Array = Uint8Array.of(0);
