import { bigintToFixedBytes, concatBytes, keccak256, signHash, utf8 } from "@cambium/primitives";

/** The hash of a message with the prefix of EIP-191, which rules out signing a transaction. */
export function messageHash(message: Uint8Array): Uint8Array {
  return keccak256(concatBytes(utf8(`\x19Ethereum Signed Message:\n${message.length}`), message));
}

/** Signature r, s, v: 65 bytes, v is 27 or 28. */
export function signature(hash: Uint8Array, key: Uint8Array): Uint8Array {
  const { r, s, recovery } = signHash(hash, key);
  return concatBytes(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32), Uint8Array.of(27 + recovery));
}
