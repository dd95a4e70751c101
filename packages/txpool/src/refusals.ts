import type { Transaction } from "@cambium/types";
import type { Refusal, RefusalCode } from "./interface.js";

/** Refusals independent of the node's state: a peer that relays such a transaction is at fault. */
export const STATELESS_REFUSALS: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  "SIGNATURE",
  "SIZE",
  "REWARD_TRANSACTION",
  "NONCE_LENGTH",
  "NONCE_ENCODING",
]);

/** Refusals with a fixed message (`spec/08 §4`, `§5`; the last two are this node's). */
const MESSAGES = {
  ALREADY_PENDING: "pending transaction with same hash already exists",
  ALREADY_QUEUED: "queued transaction with same hash already exists",
  ACCOUNT_ABSENT: "the sender account doesn't exist",
  INIT_CODE_SIZE: "transaction's init code size is invalid",
  REWARD_TRANSACTION: "transaction is a remasc transaction",
  NONCE_ENCODING: "transaction nonce has non-canonical encoding",
  NONCE_TOO_LOW: "transaction nonce too low",
  NONCE_TOO_HIGH: "transaction nonce too high",
  BALANCE: "insufficient funds",
  GAS_PRICE_MINIMUM: "transaction's gas price lower than block's minimum",
  INTRINSIC_GAS: "transaction's basic cost is above the gas limit",
  GAS_PRICE_CAP: "transaction's gas price exceeds cap",
  GAS_PRICE_BUMP: "gas price not enough to bump transaction",
  QUOTA: "account exceeds quota",
  PENDING_FUNDS: "insufficient funds to pay for pending and new transactions",
  POOL_FULL: "transaction pool is full",
  SLOW_SENDER: "a transaction of this account took too long to execute; try again later",
} as const;

export function refusal(code: keyof typeof MESSAGES): Refusal {
  return { code, message: MESSAGES[code] };
}

export function accountAbsent(): Refusal {
  return { ...refusal("ACCOUNT_ABSENT"), detail: "insufficient funds for gas * price + value" };
}

/** Returns a refusal. `slots` is the maximum number of an account's transactions in the pool. */
export function nonceTooHigh(slots: number): Refusal {
  const detail = `the pool takes ${slots} transactions of an account at a time (--txpool.account-slots)`;
  return { ...refusal("NONCE_TOO_HIGH"), detail };
}

/** Returns a refusal; all invalid signatures have the same message (`spec/08 §3`). */
export function wrongSignature({ chainId }: Transaction): Refusal {
  return { code: "SIGNATURE", message: `Invalid chainId: ${chainId}` };
}

export function tooLarge(size: number, maximum: number): Refusal {
  return { code: "SIZE", message: `transaction's size is higher than defined maximum: ${size} > ${maximum}` };
}

export function gasLimitTooHigh(gasLimit: bigint, blockGasLimit: bigint): Refusal {
  const message = `transaction's gas limit of ${gasLimit} is higher than the block's gas limit of ${blockGasLimit}`;
  return { code: "GAS_LIMIT", message };
}

export function nonceTooLong(length: number, maximum: number): Refusal {
  return { code: "NONCE_LENGTH", message: `transaction nonce byte length exceeds maximum: ${length} > ${maximum}` };
}
