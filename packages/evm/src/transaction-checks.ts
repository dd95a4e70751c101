import { MAX_INIT_CODE_SIZE, MAX_INT64, type NetworkConfig, type Rules } from "@cambium/config";
import { CambiumError } from "@cambium/primitives";
import { gasValue, type Transaction } from "@cambium/types";
import { type RejectionCode, TransactionRejected } from "./errors.js";
import type { TransactionRun } from "./interface.js";
import { intrinsicGas } from "./intrinsic-gas.js";

/** Values computed during the checks. */
export interface CheckedTransaction {
  sender: Uint8Array;
  gasLimit: bigint;
  intrinsic: number;
}

/**
 * Checks whether a transaction can be executed at this point of its block, in the order of `spec/04 §2.4`. Throws
 * {@link TransactionRejected} with the code of the first failed check.
 */
export function checkTransaction(run: TransactionRun, rules: Rules, network: NetworkConfig): CheckedTransaction {
  const { transaction, state } = run;
  if (rules.rskip438 && transaction.isCreation && transaction.data.length > MAX_INIT_CODE_SIZE) {
    throw rejected("INIT_CODE_SIZE", `${transaction.data.length} bytes`);
  }
  const intrinsic = intrinsicGas(transaction, rules, network);
  const gasLimit = checkGas(run, intrinsic);

  const { sender } = transaction;
  if (sender === undefined) throw rejected("SIGNATURE", "no sender");
  const expected = state.getNonce(sender);
  if (transaction.nonce !== expected) throw rejected("NONCE", `${transaction.nonce}, account has ${expected}`);

  const gasCost = intrinsic > 0 ? transaction.gasPrice * gasLimit : 0n;
  const balance = state.getBalance(sender);
  if (balance < transaction.value + gasCost) {
    throw rejected("BALANCE", `${balance}, needs ${transaction.value + gasCost}`);
  }
  if (transaction.to.length > 20) throw rejected("ADDRESS_LENGTH", `${transaction.to.length} bytes`);
  if (!transaction.acceptSignature(network.chainId)) throw rejected("SIGNATURE", "not acceptable");
  return { sender, gasLimit, intrinsic };
}

function checkGas(run: TransactionRun, intrinsic: number): bigint {
  const limit = readGasLimit(run.transaction);
  const used = limit + run.gasUsedBefore;
  if (used > run.listGasLimit || used >= MAX_INT64) {
    throw rejected("GAS_LIMIT", `${limit} after ${run.gasUsedBefore}, list has ${run.listGasLimit}`);
  }
  if (limit < BigInt(intrinsic)) throw rejected("INTRINSIC_GAS", `${limit}, needs ${intrinsic}`);
  return limit;
}

function readGasLimit(transaction: Transaction): bigint {
  if (transaction.gasLimitBytes.length === 0) throw rejected("INTERNAL_ERROR", "no gas limit");
  try {
    return gasValue(transaction.gasLimitBytes);
  } catch (error) {
    if (error instanceof CambiumError) throw rejected("INTERNAL_ERROR", error.message);
    throw error;
  }
}

export function rejected(code: RejectionCode, reason: string): TransactionRejected {
  return new TransactionRejected({ code, reason });
}
