import { MAX_INIT_CODE_SIZE } from "@cambium/config";
import { intrinsicGas, isFreeBridgeTransaction } from "@cambium/evm";
import type { Transaction } from "@cambium/types";
import type { BestState } from "./best-state.js";
import type { Refusal } from "./interface.js";
import { accountAbsent, gasLimitTooHigh, nonceTooHigh, nonceTooLong, refusal, tooLarge } from "./refusals.js";

/** Maximum encoded size of a transaction in bytes. */
export const MAX_TRANSACTION_SIZE = 131_072;
/** Maximum length of a nonce in bytes, for 64 bits. */
const MAX_NONCE_LENGTH = 8;
const MAX_TRANSACTION_GAS = 1n << 60n;
/** Cap on gas prices in the pool: below that of blocks, which leaves room for a falling minimum (RSKIP-252). */
const POOL_PRICE_CAP_FACTOR = 80n;

/** A transaction to validate, with the state that it depends on. */
export interface ValidationInput {
  transaction: Transaction;
  sender: Uint8Array;
  best: BestState;
  /** Number of nonces an account may use at a time; undefined if that is not checked. */
  accountSlots: number | undefined;
}

/**
 * The checks of `spec/08 §5` in order; returns the first failure or undefined. Row 6 never applies, since the state
 * does not mark accounts as deleted.
 */
export function validate(input: ValidationInput): Refusal | undefined {
  const { transaction, sender, best } = input;
  const isFree = isFreeBridgeTransaction(transaction, best.rules, best.network);
  if (!isFree && !best.state.exists(sender)) return accountAbsent();
  return form(transaction, best) ?? nonce(input) ?? (isFree ? undefined : funds(input)) ?? price(input);
}

/** Checks rows 2 to 5: the transaction by itself. */
function form(transaction: Transaction, { rules, transactionGasLimit }: BestState): Refusal | undefined {
  const { isCreation, data, size, gasLimit } = transaction;
  if (isCreation && rules.rskip438 && data.length > MAX_INIT_CODE_SIZE) return refusal("INIT_CODE_SIZE");
  if (size > MAX_TRANSACTION_SIZE) return tooLarge(size, MAX_TRANSACTION_SIZE);
  if (transaction.isReward) return refusal("REWARD_TRANSACTION");
  if (gasLimit > transactionGasLimit || gasLimit > MAX_TRANSACTION_GAS) {
    return gasLimitTooHigh(gasLimit, transactionGasLimit);
  }
  return undefined;
}

/** Checks rows 7 to 10. */
function nonce({ transaction, sender, best, accountSlots }: ValidationInput): Refusal | undefined {
  const { nonceBytes } = transaction;
  if (nonceBytes.length > MAX_NONCE_LENGTH) return nonceTooLong(nonceBytes.length, MAX_NONCE_LENGTH);
  if (nonceBytes.length > 1 && nonceBytes[0] === 0) return refusal("NONCE_ENCODING");
  const accountNonce = best.state.getNonce(sender);
  if (transaction.nonce < accountNonce) return refusal("NONCE_TOO_LOW");
  if (accountSlots !== undefined && transaction.nonce >= accountNonce + BigInt(accountSlots)) {
    return nonceTooHigh(accountSlots);
  }
  return undefined;
}

/** Checks row 11: gas, without the value (`spec/08 §11`, P6). */
function funds({ transaction, sender, best }: ValidationInput): Refusal | undefined {
  const { gasPrice, gasLimit } = transaction;
  return best.state.getBalance(sender) < gasPrice * gasLimit ? refusal("BALANCE") : undefined;
}

/** Checks rows 12 to 14. */
function price({ transaction, best }: ValidationInput): Refusal | undefined {
  const { gasPrice, gasLimit } = transaction;
  const { minimumGasPrice, rules, network } = best;
  if (gasPrice < minimumGasPrice) return refusal("GAS_PRICE_MINIMUM");
  if (BigInt(intrinsicGas(transaction, rules, network)) > gasLimit) return refusal("INTRINSIC_GAS");
  const isCapped = rules.rskip252 && minimumGasPrice !== 0n;
  return isCapped && gasPrice > POOL_PRICE_CAP_FACTOR * minimumGasPrice ? refusal("GAS_PRICE_CAP") : undefined;
}

/** Maximum cost of a transaction for its sender; a free bridge transaction pays no gas (`spec/08 §4`, step 8). */
export function highestCost(transaction: Transaction, { rules, network }: BestState): bigint {
  const { value, gasPrice, gasLimit } = transaction;
  return isFreeBridgeTransaction(transaction, rules, network) ? value : value + gasPrice * gasLimit;
}

/** Whether a price suffices to replace a pending transaction: higher, by at least `percent` rounded down. */
export function isBump(gasPrice: bigint, replaced: bigint, percent: number): boolean {
  return gasPrice > replaced && gasPrice >= (replaced * BigInt(100 + percent)) / 100n;
}
