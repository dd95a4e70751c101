import { EMPTY_BYTES, toHex } from "@cambium/primitives";
import type { NativeCallContext, NativeContract, StateCheckpoint } from "@cambium/state";
import { AnalysedCode, analyse } from "./code/analysed-code.js";
import { FrameFailure, OUT_OF_GAS } from "./errors.js";
import type { Execution } from "./execution.js";
import type { Frame } from "./frame.js";
import { nativeFailure } from "./native/native-failure.js";
import { codeDepositGas, depositFailure } from "./operations/create.js";
import { runFrames } from "./run-frames.js";
import { rejected } from "./transaction-checks.js";
import { fromBytes, toWord } from "./words.js";

/** The outermost call or creation, after its checks. */
export interface OuterMessage {
  from: Uint8Array;
  /** The called account, or the address of the new contract. */
  to: Uint8Array;
  isCreation: boolean;
  data: Uint8Array;
  value: bigint;
  gasLimit: number;
  /** Gas limit beyond the safe integer range; GAS in the outermost frame includes it. */
  gasReserve: bigint;
  intrinsic: number;
}

/** Result of the outermost message, before refunds. */
export interface MessageResult {
  /** Gas left, without the reserve. Negative after some calls to native contracts before RSKIP-136. */
  left: number;
  /** Whether the whole limit was used, including the reserve. */
  exhausted: boolean;
  /** Gas used; at most half of it can be refunded. */
  gasUsed: number;
  refundCounter: number;
  output: Uint8Array | null;
  failure?: FrameFailure;
  reverted: boolean;
  /** Whether no error message was recorded, which decides the receipt status. */
  succeeded: boolean;
  maxGasUsed: number;
  movedRemainingGasToChild: boolean;
  callWithValuePerformed: boolean;
}

/** Runs the outermost message: `create()`, `call()` and `go()` of `spec/04 §2.5`. */
export function executeMessage(message: OuterMessage, execution: Execution): MessageResult {
  if (message.isCreation) return executeCreation(message, execution);
  const contract = execution.findNative(fromBytes(message.to));
  if (contract !== undefined) return executeNative(message, execution, contract);

  const { state } = execution;
  const code = state.getCode(message.to);
  const checkpoint = state.checkpoint();
  state.transfer(message.from, message.to, message.value);
  if (code.length === 0) return withoutFrame(message.gasLimit - message.intrinsic, message.intrinsic, EMPTY_BYTES);
  const frame = openOuterFrame(message, execution, analyse(code), checkpoint);
  runOuterFrame(frame, message, execution);
  return frameResult(frame);
}

function executeCreation(message: OuterMessage, execution: Execution): MessageResult {
  const { state, rules } = execution;
  const { to: address } = message;
  const checkpoint = state.checkpoint();
  // There is no collision check, and before RSKIP-174 the address loses its existing balance.
  state.createAccount(address, rules.rskip174 && state.exists(address));
  if (message.data.length > 0) state.markContract(address);
  state.transfer(message.from, address, message.value);
  if (message.data.length === 0) return withoutFrame(message.gasLimit - message.intrinsic, 0, EMPTY_BYTES);

  const frame = openOuterFrame(message, execution, new AnalysedCode(message.data), checkpoint);
  runOuterFrame(frame, message, execution);
  return frame.status === "stopped" ? depositOuterCode(frame, execution) : frameResult(frame);
}

function openOuterFrame(
  message: OuterMessage,
  execution: Execution,
  code: AnalysedCode,
  checkpoint: StateCheckpoint,
): Frame {
  if (execution.block.hasLongGasLimit) throw rejected("INTERNAL_ERROR", "the block's gas limit exceeds 32 bytes");
  return execution.open({
    kind: message.isCreation ? "create" : "call",
    depth: 0,
    code,
    address: message.to,
    codeAddress: message.to,
    caller: message.from,
    value: toWord(message.value),
    input: message.isCreation ? EMPTY_BYTES : message.data,
    isStatic: false,
    gas: message.gasLimit,
    gasReserve: message.gasReserve,
    checkpoint,
    outOffset: 0,
    outSize: 0,
    reportsNativeCalls: true,
  });
}

function runOuterFrame(frame: Frame, message: OuterMessage, execution: Execution): void {
  frame.gas -= message.intrinsic;
  if (frame.gas >= 0) runFrames(frame, execution);
  else failOuterFrame(frame, OUT_OF_GAS, execution);
}

/**
 * Deposits the code of the outermost frame. Here a rejected deposit fails the transaction at every height
 * (`spec/04 §4.4`).
 */
function depositOuterCode(frame: Frame, execution: Execution): MessageResult {
  const failure = depositFailure(frame.output, frame.gas, execution);
  const cost = failure === undefined ? codeDepositGas(frame.output, execution) : 0;
  execution.tracer?.deposit?.(cost, failure);
  if (failure !== undefined) {
    const { gasUsed, maxGasUsed, movedRemainingGasToChild } = frameResult(frame);
    failOuterFrame(frame, failure, execution);
    // Unlike the fee, the estimate does not count the gas that a rejected deposit takes.
    const estimated = movedRemainingGasToChild ? gasUsed : maxGasUsed;
    return { ...frameResult(frame), maxGasUsed: estimated, movedRemainingGasToChild: false };
  }
  frame.gas -= cost;
  execution.state.setCode(frame.address, frame.output);
  return frameResult(frame);
}

function failOuterFrame(frame: Frame, failure: FrameFailure, execution: Execution): void {
  frame.status = "failed";
  frame.failure = failure;
  frame.output = EMPTY_BYTES;
  frame.refund = 0;
  frame.gas = 0;
  execution.undo(frame);
}

function frameResult(frame: Frame): MessageResult {
  return {
    left: frame.gas,
    exhausted: frame.status === "failed",
    gasUsed: frame.invocation.gas - frame.gas,
    refundCounter: frame.status === "stopped" ? frame.refund : 0,
    output: frame.output,
    failure: frame.failure,
    reverted: frame.status === "reverted",
    succeeded: frame.status === "stopped",
    maxGasUsed: frame.maxGasUsed,
    movedRemainingGasToChild: frame.movedRemainingGasToChild,
    callWithValuePerformed: frame.callWithValuePerformed,
  };
}

function withoutFrame(left: number, gasUsed: number, output: Uint8Array | null): MessageResult {
  return {
    left,
    exhausted: false,
    gasUsed,
    refundCounter: 0,
    output,
    reverted: false,
    succeeded: true,
    maxGasUsed: gasUsed,
    movedRemainingGasToChild: false,
    callWithValuePerformed: false,
  };
}

/**
 * Executes a transaction sent directly to a native contract. If the contract throws, its writes and logs stay and the
 * transaction succeeds, but no value moves and the whole gas limit is charged (`spec/04 §2.5`, quirk). An error while
 * computing the gas is rethrown.
 */
function executeNative(message: OuterMessage, execution: Execution, contract: NativeContract): MessageResult {
  const { state, rules, transaction } = execution;
  execution.calledContracts.add(toHex(message.to));
  const data = message.data.length === 0 ? null : message.data;
  const context = outerContext(message, execution);
  const required = requiredGas(contract, data, context);
  execution.checkInterruption(required);
  const used = required + message.intrinsic;
  const enough = message.gasLimit >= (rules.rskip136 ? used : required);
  if (!enough && !transaction.isLocalCall) {
    return { ...withoutFrame(0, 0, EMPTY_BYTES), exhausted: true, succeeded: false };
  }
  const result = withoutFrame(message.gasLimit - used, used, EMPTY_BYTES);
  if (result.left < 0 && rules.rskip136) throw OUT_OF_GAS;
  try {
    result.output = contract.execute(data, context);
  } catch (error) {
    // Whether the error has a message is irrelevant here, because it does not decide the receipt status.
    return { ...result, failure: new FrameFailure("contract-error", nativeFailure(contract, error).message) };
  }
  if (!state.exists(message.to)) state.createAccount(message.to);
  if (!state.isContract(message.to)) state.markContract(message.to);
  state.transfer(message.from, message.to, message.value);
  return result;
}

/** An error here makes the transaction invalid for every block (`spec/04 §2.4`, end). */
function requiredGas(contract: NativeContract, data: Uint8Array | null, context: NativeCallContext): number {
  try {
    return contract.gas(data, context);
  } catch (error) {
    throw nativeFailure(contract, error);
  }
}

function outerContext(message: OuterMessage, execution: Execution): NativeCallContext {
  const { transaction, tracer } = execution;
  return {
    network: execution.network,
    rules: execution.rules,
    block: execution.block,
    state: execution.state,
    transaction,
    kind: "transaction",
    caller: message.from,
    value: message.value,
    depth: -1,
    transactionHash: () => transaction.hash,
    log: (entry) => execution.log(entry),
    payment: (from, to, amount) => tracer?.payment?.(from, to, amount),
  };
}
