import { type NetworkConfig, REWARD_ADDRESS, type Rules } from "@cambium/config";
import { contractAddress, toHex } from "@cambium/primitives";
import type { WorldState } from "@cambium/state";
import { FrameFailure } from "./errors.js";
import { Execution } from "./execution.js";
import type { FramePool } from "./frame.js";
import type {
  InterruptionCheck,
  LocalCall,
  LocalCallOutcome,
  TransactionOutcome,
  TransactionRun,
} from "./interface.js";
import { dataGas } from "./intrinsic-gas.js";
import { executeMessage, type MessageResult, type OuterMessage } from "./message-execution.js";
import type { NativeRegistry } from "./native/native-registry.js";
import { signerKey } from "./signer-key.js";
import { type CheckedTransaction, checkTransaction, rejected } from "./transaction-checks.js";

/** Data shared by all executions of one machine. */
export interface Machine {
  network: NetworkConfig;
  natives: NativeRegistry;
  pool: FramePool;
  isInterrupted?: InterruptionCheck | undefined;
}

/**
 * Executes a transaction as part of its block: `spec/04 §2.4`, `§2.5`. Throws {@link TransactionRejected} with the
 * state unchanged if no valid block can contain the transaction at this point.
 */
export function executeTransaction(run: TransactionRun, rules: Rules, machine: Machine): TransactionOutcome {
  const checked = checkTransaction(run, rules, machine.network);
  const start = run.state.checkpoint();
  try {
    return executeChecked(run, rules, machine, checked);
  } catch (error) {
    run.state.revertTo(start);
    throw asRejection(error);
  }
}

/** Errors that escape execution make the transaction invalid for every block (`spec/04 §2.4`, end). */
function asRejection(error: unknown): unknown {
  return error instanceof FrameFailure ? rejected("INTERNAL_ERROR", error.message) : error;
}

function executeChecked(
  run: TransactionRun,
  rules: Rules,
  machine: Machine,
  checked: CheckedTransaction,
): TransactionOutcome {
  const { transaction, state } = run;
  const { sender, gasLimit } = checked;
  const price = transaction.gasPrice;
  const to = transaction.isCreation ? contractAddress(sender, transaction.nonce) : transaction.to;
  const execution = outerExecution(run, rules, machine, sender, to);
  state.incrementNonce(sender);
  state.addBalance(sender, -(price * gasLimit));

  const { isCreation, data, value } = transaction;
  const { intrinsic } = checked;
  const { gasLimit: counted, gasReserve } = splitGas(gasLimit);
  const message: OuterMessage = { from: sender, to, isCreation, data, value, gasLimit: counted, gasReserve, intrinsic };
  const result = executeMessage(message, execution);
  if (result.failure?.textless) throw rejected("INTERNAL_ERROR", "failure without a message");

  const outcome = settle(result, message, price, execution);
  const back = price * gasLimit - outcome.fee;
  state.addBalance(sender, back);
  if (run.creditFee) state.addBalance(REWARD_ADDRESS, outcome.fee);
  for (const address of execution.destroyed) state.deleteAccount(address);
  state.clearTransientStorage();
  run.tracer?.end?.(outcome);
  return transaction.isCreation ? { ...outcome, created: to } : outcome;
}

const NONE: readonly string[] = [];

const MAX_COUNTED_GAS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Splits a gas limit, because gas is counted in numbers. A larger limit is possible in theory (a block's limit moves by
 * at most a 1024th per block), but the excess can never be spent step by step, so it is kept separately.
 */
function splitGas(limit: bigint): { gasLimit: number; gasReserve: bigint } {
  const counted = limit < MAX_COUNTED_GAS ? limit : MAX_COUNTED_GAS;
  return { gasLimit: Number(counted), gasReserve: limit - counted };
}

function outerExecution(
  run: TransactionRun,
  rules: Rules,
  machine: Machine,
  sender: Uint8Array,
  to: Uint8Array,
): Execution {
  const { transaction } = run;
  return new Execution({
    network: machine.network,
    rules,
    block: run.block,
    state: run.state,
    transaction: {
      hash: transaction.hash,
      sender,
      isReward: transaction.isReward,
      isLocalCall: false,
      hasAcceptableSignature: true,
      gasPrice: transaction.gasPrice,
      signerKey: () => signerKey(transaction),
    },
    to,
    index: run.index,
    natives: machine.natives.at(rules),
    deletedInList: run.deletedInList,
    pool: machine.pool,
    isInterrupted: machine.isInterrupted,
    tracer: run.tracer,
  });
}

/** Computes refund, fee and receipt data of a finished message. */
function settle(result: MessageResult, message: OuterMessage, price: bigint, execution: Execution): TransactionOutcome {
  const { destroyed, costs } = execution;
  const deleted = destroyed.length === 0 ? NONE : [...new Set(destroyed.map(toHex))];
  const counter = result.refundCounter + costs.selfDestructRefund * deleted.length;
  // The counter is negative, from RSKIP-555 on, if init code cleared cells that others restored: its own refund is
  // lost.
  const refund = Math.min(Math.max(0, counter), Math.floor(result.gasUsed / costs.refundDivisor));
  const { failure } = result;
  const limit = BigInt(message.gasLimit) + message.gasReserve;
  const gasUsed = result.exhausted ? limit : BigInt(message.gasLimit - result.left - refund);
  return {
    status: result.succeeded ? 1 : 0,
    gasUsed: Number(gasUsed),
    // Any exception costs the whole limit, even where the gas used is less.
    fee: price * (failure === undefined ? gasUsed : limit),
    refund,
    logs: execution.logs,
    output: result.output,
    exception: failure && exceptionOf(failure),
    reverted: result.reverted,
    deleted,
    calledContracts: execution.calledContracts,
  };
}

function exceptionOf({ kind, message, isNative }: FrameFailure): NonNullable<TransactionOutcome["exception"]> {
  return isNative ? { kind, message, isNative } : { kind, message };
}

type LocalContext = Pick<TransactionRun, "block" | "state" | "tracer">;

/**
 * Executes a call on the given state without nonce, gas purchase or checks (`spec/04 §2.6`), then restores the state.
 * Throws {@link TransactionRejected} where the deployed client raises an error.
 */
export function executeLocalCall(
  call: LocalCall,
  context: LocalContext,
  rules: Rules,
  machine: Machine,
): LocalCallOutcome {
  const { state } = context;
  const start = state.checkpoint();
  try {
    const { outcome } = executeLocally(call, localTarget(call, state), context, rules, machine);
    context.tracer?.end?.(outcome);
    return outcome;
  } catch (error) {
    throw asRejection(error);
  } finally {
    state.revertTo(start);
  }
}

/**
 * Executes a call like {@link executeLocalCall}, but as a transaction that takes a nonce and pays its fee, and keeps
 * the changes.
 */
export function executeSimulated(
  call: LocalCall,
  context: LocalContext,
  rules: Rules,
  machine: Machine,
): LocalCallOutcome {
  const { state, tracer } = context;
  const { from, gasPrice, gasLimit } = call;
  const start = state.checkpoint();
  try {
    const to = localTarget(call, state);
    state.incrementNonce(from);
    state.addBalance(from, -(gasPrice * gasLimit));
    const { outcome, destroyed } = executeLocally(call, to, context, rules, machine);
    state.addBalance(from, gasPrice * gasLimit - outcome.fee);
    for (const address of destroyed) state.deleteAccount(address);
    state.clearTransientStorage();
    tracer?.end?.(outcome);
    return outcome;
  } catch (error) {
    state.revertTo(start);
    throw asRejection(error);
  }
}

function localTarget({ from, to }: LocalCall, state: WorldState): Uint8Array {
  return to.length === 0 ? contractAddress(from, state.getNonce(from)) : to;
}

const LOCAL_HASH = new Uint8Array(32);

function executeLocally(
  call: LocalCall,
  to: Uint8Array,
  context: LocalContext,
  rules: Rules,
  machine: Machine,
): { outcome: LocalCallOutcome; destroyed: readonly Uint8Array[] } {
  const isCreation = call.to.length === 0;
  const execution = new Execution({
    network: machine.network,
    rules,
    block: context.block,
    state: context.state,
    transaction: {
      hash: LOCAL_HASH,
      sender: call.from,
      isReward: false,
      isLocalCall: true,
      hasAcceptableSignature: false,
      gasPrice: call.gasPrice,
    },
    to,
    index: 0,
    natives: machine.natives.at(rules),
    deletedInList: new Set(),
    pool: machine.pool,
    isInterrupted: machine.isInterrupted,
    tracer: context.tracer,
  });
  const message: OuterMessage = {
    from: call.from,
    to,
    isCreation,
    data: call.data,
    value: call.value,
    intrinsic: dataGas(call.data, isCreation, rules),
    ...splitGas(call.gasLimit),
  };
  const result = executeMessage(message, execution);
  const outcome: LocalCallOutcome = {
    ...settle(result, message, call.gasPrice, execution),
    created: isCreation ? to : undefined,
    maxGasUsed: result.maxGasUsed,
    movedRemainingGasToChild: result.movedRemainingGasToChild,
    stipend: result.callWithValuePerformed ? execution.costs.stipend : 0,
  };
  return { outcome, destroyed: execution.destroyed };
}
