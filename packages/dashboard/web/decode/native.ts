/** Contracts that are part of the node, at the same addresses on every network (`spec/05`, `spec/06a`). */

export const BRIDGE = "0x0000000000000000000000000000000001000006";
export const REWARD = "0x0000000000000000000000000000000001000008";

const NAMES: Readonly<Record<string, string>> = {
  "0x0000000000000000000000000000000000000001": "ecrecover (precompiled)",
  "0x0000000000000000000000000000000000000002": "SHA-256 (precompiled)",
  "0x0000000000000000000000000000000000000003": "RIPEMD-160 (precompiled)",
  "0x0000000000000000000000000000000000000004": "identity (precompiled)",
  "0x0000000000000000000000000000000000000005": "modular exponentiation (precompiled)",
  "0x0000000000000000000000000000000000000006": "alt_bn128 addition (precompiled)",
  "0x0000000000000000000000000000000000000007": "alt_bn128 multiplication (precompiled)",
  "0x0000000000000000000000000000000000000008": "alt_bn128 pairing (precompiled)",
  "0x0000000000000000000000000000000000000009": "BLAKE2 F (precompiled)",
  [BRIDGE]: "Bridge",
  [REWARD]: "Reward contract",
  "0x0000000000000000000000000000000001000009": "HD-wallet utilities",
  "0x0000000000000000000000000000000001000010": "Block-header reader",
  "0x0000000000000000000000000000000001000011": "Environment",
  "0x63616d6269756d20737461746520656469746f72": "State editor (local networks)",
};

/** The name of a contract that is part of the node. */
export function nativeName(address: string): string | undefined {
  return NAMES[address.toLowerCase()];
}
