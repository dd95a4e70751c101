import type { NetworkConfig } from "@cambium/config";
import { MAX_TRANSACTION_SIZE } from "@cambium/txpool";
import { recogniseImpersonated, Transaction } from "@cambium/types";
import { isMalformed } from "./received-block.js";

/** Maximum length of a nonce in bytes: it is read as 64 bits. */
const MAX_NONCE_LENGTH = 8;

/** A transaction, or a fault that every node finds, regardless of its state. */
export type Checked = { transaction: Transaction } | { fault: string };

/** Checks size, encoding, nonce and the ranges of the signature (`spec/07 §D.8`); recovers no key. */
export function readTransaction(encoded: Uint8Array, network: NetworkConfig): Checked {
  if (encoded.length > MAX_TRANSACTION_SIZE) return { fault: `${encoded.length} bytes` };
  try {
    const transaction = Transaction.decode(encoded);
    recogniseImpersonated([transaction], network);
    const fault = faultIn(transaction, network.chainId);
    return fault === undefined ? { transaction } : { fault };
  } catch (error) {
    if (isMalformed(error)) return { fault: error.message };
    throw error;
  }
}

function faultIn(transaction: Transaction, chainId: number): string | undefined {
  const { nonceBytes } = transaction;
  if (nonceBytes.length > MAX_NONCE_LENGTH) return "the nonce is too long";
  if (nonceBytes.length > 1 && nonceBytes[0] === 0) return "the nonce is not canonical";
  return transaction.acceptSignature(chainId) ? undefined : "invalid signature or chain id";
}
