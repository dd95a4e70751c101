import { isPrivateKey, keccak256, leftPad, publicKeyToAddress, secp256k1, utf8 } from "@cambium/primitives";
import { AccountsError } from "./errors.js";

/** The key, left-padded to 32 bytes. Throws {@link AccountsError} `INVALID_PRIVATE_KEY` unless it is in [1, n - 1]. */
export function checkedPrivateKey(bytes: Uint8Array): Uint8Array {
  const key = leftPad(bytes, 32);
  if (!isPrivateKey(key)) {
    throw new AccountsError({ code: "INVALID_PRIVATE_KEY", reason: "not in the range from 1 to n - 1 of secp256k1" });
  }
  return key;
}

/** Private key derived from a seed: the Keccak-256 of its UTF-8 bytes (`spec/09 §13.3`). */
export function privateKeyOfSeed(seed: string): Uint8Array {
  return checkedPrivateKey(keccak256(utf8(seed)));
}

/** Address of a private key, 20 bytes. */
export function addressOfPrivateKey(key: Uint8Array): Uint8Array {
  return publicKeyToAddress(secp256k1.publicKey(key));
}
