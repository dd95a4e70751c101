import {
  BRIDGE_ADDRESS,
  bridgeOperators,
  isForDevelopment,
  type NetworkConfig,
  type Rules,
  STATE_EDITOR_ACCOUNT,
  STATE_EDITOR_ADDRESS,
} from "@cambium/config";
import { equalBytes, toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import { gasSchedule } from "./gas-schedule.js";

/** Gas charged before execution starts (`spec/04 §2.2`). */
export function intrinsicGas(transaction: Transaction, rules: Rules, network: NetworkConfig): number {
  if (transaction.isReward || isFreeBridgeTransaction(transaction, rules, network)) return 0;
  if (isStateEdit(transaction, network)) return 0;
  return dataGas(transaction.data, transaction.isCreation, rules);
}

/** Intrinsic gas of a transaction with this data that pays for gas. */
export function dataGas(data: Uint8Array, isCreation: boolean, rules: Rules): number {
  const zeros = countZeros(data);
  const costs = gasSchedule(rules);
  const bytes = costs.dataZeroByte * zeros + costs.dataByte * (data.length - zeros);
  if (!isCreation) return costs.transaction + bytes;
  return costs.creation + costs.initCodeWord * Math.ceil(data.length / 32) + bytes;
}

/**
 * Counts the zero bytes. Kept separate: if V8 replaced the loop on the stack, the code after it would have no type
 * feedback and be deoptimised on every call.
 */
function countZeros(data: Uint8Array): number {
  let zeros = 0;
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++;
  return zeros;
}

/** Whether a transaction edits the state for a tool of developers, on a network for development: it costs no gas. */
function isStateEdit({ to, gasLimit, sender }: Transaction, network: NetworkConfig): boolean {
  if (!isForDevelopment(network) || !equalBytes(to, STATE_EDITOR_ADDRESS) || gasLimit !== 0n) return false;
  return sender !== undefined && equalBytes(sender, STATE_EDITOR_ACCOUNT);
}

/**
 * Whether a transaction to the bridge is free: signed by a member of the genesis federation or an authorizer, until
 * bridge transactions became paid (`spec/04 §2.3`, `spec/06a §1.5`).
 */
export function isFreeBridgeTransaction(transaction: Transaction, rules: Rules, network: NetworkConfig): boolean {
  if (rules.areBridgeTxsPaid || !equalBytes(transaction.to, BRIDGE_ADDRESS)) return false;
  if (!transaction.acceptSignature(network.chainId)) return false;
  const { sender } = transaction;
  return sender !== undefined && bridgeOperators(network).has(toHex(sender));
}
