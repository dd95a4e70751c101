import { MAX_TRANSACTION_SIZE } from "@cambium/txpool";
import { Transaction } from "@cambium/types";
import { isMalformed } from "./received-block.js";

/** A nonce is read as 64 bits. */
const MAX_NONCE_LENGTH = 8;

/** A transaction, or what every node must find wrong with it, whatever its state. */
export type Checked = { transaction: Transaction } | { fault: string };

/** Size, form and nonce, and the ranges of the signature (`spec/07 §D.8`); no key is recovered yet. */
export function readTransaction(encoded: Uint8Array, chainId: number): Checked {
  if (encoded.length > MAX_TRANSACTION_SIZE) return { fault: `${encoded.length} bytes` };
  try {
    const transaction = Transaction.decode(encoded);
    const fault = faultIn(transaction, chainId);
    return fault === undefined ? { transaction } : { fault };
  } catch (error) {
    if (isMalformed(error)) return { fault: error.message };
    throw error;
  }
}

function faultIn(transaction: Transaction, chainId: number): string | undefined {
  const { nonceBytes } = transaction;
  if (nonceBytes.length > MAX_NONCE_LENGTH) return "nonce too long";
  if (nonceBytes.length > 1 && nonceBytes[0] === 0) return "nonce not canonical";
  return transaction.acceptSignature(chainId) ? undefined : "signature or chain id";
}
