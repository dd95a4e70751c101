import { GAS_PRICE_CAP_FACTOR, type Rules } from "@cambium/config";
import { equalBytes, toHex } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { type HeaderFields, type Transaction, TypesError } from "@cambium/types";
import { BlockError } from "../faults.js";

/** `spec/02 §3.2`, C1-1: field sizes, and a recoverable public key for every signature. */
export function transactionFields(transactions: readonly Transaction[]): void {
  transactions.forEach((transaction, index) => {
    try {
      transaction.verifyFields();
    } catch (error) {
      if (!(error instanceof TypesError) || error.details.code !== "TRANSACTION_FIELD") throw error;
      const { field, reason } = error.details;
      throw new BlockError({ code: "TRANSACTION_FIELDS", index, field, reason }, { cause: error });
    }
  });
}

/**
 * Checks that the nonces of each sender, including the reward transaction's, continue that of the state
 * (`spec/02 §3.2`, C1-2). An unsigned transaction has no sender and cannot be in a block.
 */
export function transactionNonces(transactions: readonly Transaction[], stateAtParent: StateReader): void {
  const next = new Map<string, bigint>();
  transactions.forEach((transaction, index) => {
    const { sender, nonce } = transaction;
    if (sender === undefined) {
      throw new BlockError({ code: "TRANSACTION_FIELDS", index, field: "sender", reason: "not signed" });
    }
    const key = toHex(sender);
    const expected = next.get(key) ?? stateAtParent.getNonce(sender);
    if (nonce !== expected) throw new BlockError({ code: "TRANSACTION_NONCE", index, expected, actual: nonce });
    next.set(key, expected + 1n);
  });
}

/** `spec/02 §3.3`, C2-1. The reward transaction is exempt. */
export function transactionGasPriceMinimum(
  header: Pick<HeaderFields, "minimumGasPrice">,
  transactions: readonly Transaction[],
): void {
  const minimum = header.minimumGasPrice ?? 0n;
  transactions.forEach(({ isReward, gasPrice: actual }, index) => {
    if (!isReward && actual < minimum) {
      throw new BlockError({ code: "TRANSACTION_GAS_PRICE_MINIMUM", index, minimum, actual });
    }
  });
}

/** `spec/02 §3.3`, C2-2 (RSKIP-252): at most a hundred times the block's minimum gas price, unless that is 0. */
export function transactionGasPriceCap(
  header: Pick<HeaderFields, "minimumGasPrice">,
  transactions: readonly Transaction[],
  rules: Rules,
): void {
  const maximum = GAS_PRICE_CAP_FACTOR * (header.minimumGasPrice ?? 0n);
  if (!rules.rskip252 || maximum === 0n) return;
  transactions.forEach(({ isReward, gasPrice: actual }, index) => {
    if (!isReward && actual > maximum) {
      throw new BlockError({ code: "TRANSACTION_GAS_PRICE_CAP", index, maximum, actual });
    }
  });
}

/** `spec/02 §3.7`, C2-4. Decoding verifies this too, but locally produced blocks have not been decoded. */
export function transactionsRoot(header: Pick<HeaderFields, "transactionsRoot">, actual: Uint8Array): void {
  const expected = header.transactionsRoot;
  if (!equalBytes(expected, actual)) throw new BlockError({ code: "TRANSACTIONS_ROOT", expected, actual });
}

/** `spec/02 §3.7`, C2-6: the last transaction, and no other, is the reward transaction. */
export function rewardTransactionLast(transactions: readonly Transaction[]): void {
  const last = transactions.length - 1;
  if (last < 0 || transactions.some(({ isReward }, index) => isReward !== (index === last))) {
    throw new BlockError({ code: "REWARD_TRANSACTION" });
  }
}
