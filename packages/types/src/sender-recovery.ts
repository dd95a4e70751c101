import { bytesToBigint, EMPTY_BYTES, recoverAddress } from "@cambium/primitives";
import { reportCodecWork } from "./codec-work.js";

/** Length of the input of {@link recoverSender}: signing hash (32), r (32), s (32), recovery id (1). */
export const RECOVERY_INPUT_LENGTH = 97;

/**
 * Returns the address of the signer, empty if no key can be recovered. The input is flat bytes, so that many can be
 * sent to a worker thread in one buffer. `Transaction.recoveryInput` creates it, and `Transaction.setSender` accepts
 * the result.
 */
export function recoverSender(input: Uint8Array): Uint8Array {
  reportCodecWork("sender");
  const signature = {
    r: bytesToBigint(input.subarray(32, 64)),
    s: bytesToBigint(input.subarray(64, 96)),
    recovery: input[96]!,
  };
  return recoverAddress(input.subarray(0, 32), signature) ?? EMPTY_BYTES;
}
