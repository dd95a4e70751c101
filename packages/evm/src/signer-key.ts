import { equalBytes, publicKeyToAddress, secp256k1 } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";

/**
 * Returns the public key of a transaction's signer, 64 bytes. Undefined if it is unsigned, if the key cannot be
 * recovered, or if no key signed it because its sender is impersonated.
 */
export function signerKey(transaction: Transaction): Uint8Array | undefined {
  const input = transaction.recoveryInput();
  if (input === undefined) return undefined;
  const key = secp256k1.recover(input.subarray(0, 32), input.subarray(32, 96), input[96]!);
  const { sender } = transaction;
  return key !== undefined && sender !== undefined && equalBytes(publicKeyToAddress(key), sender) ? key : undefined;
}
