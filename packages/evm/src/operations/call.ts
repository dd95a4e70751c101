import { MAX_INT64 } from "@cambium/config";
import { EMPTY_BYTES } from "@cambium/primitives";
import type { CallKind } from "@cambium/state";
import { analyse } from "../code/analysed-code.js";
import { INVALID_GAS, OUT_OF_GAS, STACK_EMPTY, STATIC_VIOLATION } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { memoryNeed } from "../memory.js";
import { Op } from "../opcodes.js";
import { isZero, toAddress, toBigint, toClampedNumber, type Word } from "../words.js";
import { coldSurcharge } from "./account-access.js";
import { type MessageCall, recordInternal, rejectCall } from "./message-call.js";
import { callNative } from "./native-call.js";

// CALL, CALLCODE, DELEGATECALL, STATICCALL: spec/04 §4.1, §4.2.

const KINDS: Readonly<Record<number, CallKind>> = {
  [Op.CALL]: "call",
  [Op.CALLCODE]: "callcode",
  [Op.DELEGATECALL]: "delegatecall",
  [Op.STATICCALL]: "staticcall",
};

export function call(frame: Frame, execution: Execution, op: number): void {
  const message = popMessage(frame, execution, KINDS[op]!);
  const contract = execution.findNative(message.target);
  if (contract !== undefined) callNative(frame, execution, message, contract);
  else callAccount(frame, execution, message);
}

function popMessage(frame: Frame, execution: Execution, kind: CallKind): MessageCall {
  const { rules } = execution;
  const gasWord = frame.pop();
  const target = frame.pop();
  let value: Word = 0;
  if (kind === "call" || kind === "callcode") value = frame.pop();
  else if (kind === "staticcall" && !rules.rskip103) {
    // The stack check requires only six items, but seven are popped (spec/04 §12, 20).
    if (frame.sp < 5) throw STACK_EMPTY;
    value = frame.pop();
  }
  if (frame.invocation.isStatic && kind === "call" && !isZero(value)) throw STATIC_VIOLATION;
  const inOffset = toClampedNumber(frame.pop());
  const inSize = toClampedNumber(frame.pop());
  const outOffsetWord = frame.pop();
  const message: MessageCall = {
    kind,
    target,
    targetAddress: toAddress(target),
    value,
    inOffset,
    inSize,
    outOffset: toClampedNumber(outOffsetWord),
    outOffsetWord,
    outSize: toClampedNumber(frame.pop()),
    gas: 0,
  };
  chargeCall(frame, execution, message, gasWord);
  if (message.outSize !== 0) frame.memory.grow(message.outOffset + message.outSize);
  return message;
}

/** Charges the call and the gas it forwards. There is no 63/64 rule, and the caller pays for the stipend. */
function chargeCall(frame: Frame, execution: Execution, message: MessageCall, gasWord: Word): void {
  const { costs } = execution;
  const hasValue = !isZero(message.value);
  let cost = costs.call + coldSurcharge(execution, message.targetAddress);
  if (message.kind === "call" && !execution.state.exists(message.targetAddress)) cost += costs.newAccount;
  if (hasValue) cost += costs.callValue;
  const inNeed = memoryNeed(message.inOffset, message.inSize);
  const outNeed = memoryNeed(message.outOffset, message.outSize);
  cost += frame.memory.expansionGas(Math.max(inNeed, outNeed), costs);
  const remaining = frame.gas - cost;
  const stipend = hasValue ? costs.stipend : 0;
  if (remaining < stipend) {
    frame.callCost = cost + stipend;
    throw OUT_OF_GAS;
  }
  if (!execution.rules.rskip150 && requestOverflows(gasWord, stipend)) throw INVALID_GAS;

  message.gas = Math.min(remaining, toClampedNumber(gasWord) + stipend);
  frame.gas = remaining - message.gas;
  frame.callCost = cost + message.gas;
  if (message.gas === remaining) frame.movedRemainingGasToChild = true;
  if (hasValue) frame.callWithValuePerformed = true;
}

/** Whether requested gas plus stipend overflows 64 bits. RSKIP-150 made that sum saturate. */
function requestOverflows(gasWord: Word, stipend: number): boolean {
  if (typeof gasWord === "number" || stipend === 0) return false;
  const requested = gasWord < MAX_INT64 ? gasWord : MAX_INT64;
  return requested + BigInt(stipend) > MAX_INT64;
}

function callAccount(frame: Frame, execution: Execution, message: MessageCall): void {
  const { state, rules } = execution;
  if (frame.depth === execution.maxDepth) {
    rejectCall(frame, message.gas);
    return;
  }
  const { memory } = frame;
  const { targetAddress, kind, inOffset, inSize } = message;
  memory.grow(memoryNeed(inOffset, inSize));
  const context = kind === "callcode" || kind === "delegatecall" ? frame.address : targetAddress;
  const value = toBigint(message.value);
  if (state.getBalance(frame.address) < value) {
    if (rules.rskip171) frame.returnData = EMPTY_BYTES;
    rejectCall(frame, message.gas);
    return;
  }
  const code = state.exists(targetAddress) ? state.getCode(targetAddress) : EMPTY_BYTES;
  const checkpoint = state.checkpoint();
  state.transfer(frame.address, context, value);
  if (code.length === 0) {
    frame.internalTransactions++;
    finishWithoutCode(frame, execution, message, context);
    return;
  }
  const record = recordInternal(frame, execution, context, value, code, "call");

  frame.returnData = EMPTY_BYTES;
  const delegates = kind === "delegatecall";
  frame.status = "waiting";
  frame.child = execution.open(
    {
      kind,
      depth: frame.depth + 1,
      code: analyse(code),
      address: context,
      codeAddress: targetAddress,
      caller: delegates ? frame.invocation.caller : frame.address,
      value: delegates ? frame.invocation.value : message.value,
      input: memory.peek(inOffset, inSize),
      isStatic: kind === "staticcall" || frame.invocation.isStatic,
      gas: message.gas,
      checkpoint,
      record,
      outOffset: message.outOffset,
      outSize: message.outSize,
      reportsNativeCalls: frame.invocation.reportsNativeCalls,
    },
    frame,
  );
}

function finishWithoutCode(frame: Frame, execution: Execution, message: MessageCall, context: Uint8Array): void {
  const { tracer, rules } = execution;
  tracer?.enter?.({
    kind: message.kind,
    depth: frame.depth + 1,
    from: frame.address,
    to: context,
    codeAddress: message.targetAddress,
    value: toBigint(message.value),
    input: frame.memory.read(message.inOffset, message.inSize),
    gas: message.gas,
    code: EMPTY_BYTES,
    hasCode: false,
  });
  tracer?.exit?.({ output: EMPTY_BYTES, gasUsed: 0, reverted: false });
  if (rules.rskip171) frame.returnData = EMPTY_BYTES;
  frame.push(1);
  frame.refundGas(message.gas);
}
