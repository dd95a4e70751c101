import { OUT_OF_GAS, STATIC_VIOLATION } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { toBigint, toWord } from "../words.js";

// Persistent and transient storage: spec/04 §3.4, §7.4.

const GAS_SET = 20000;
const GAS_CHANGE = 5000;
const REFUND_CLEAR = 15000;

export function sload(frame: Frame, execution: Execution): void {
  frame.push(toWord(execution.state.getStorage(frame.address, toBigint(frame.pop()))));
}

/** There is no net metering: the price depends only on the current value. */
export function sstore(frame: Frame, execution: Execution): void {
  if (frame.invocation.isStatic) throw STATIC_VIOLATION;
  const { state } = execution;
  const slot = toBigint(frame.pop());
  const value = toBigint(frame.pop());
  const isPresent = state.getStorage(frame.address, slot) !== 0n;
  if (isPresent && value === 0n) frame.refund += REFUND_CLEAR;
  frame.gas -= !isPresent && value !== 0n ? GAS_SET : GAS_CHANGE;
  if (frame.gas < 0) throw OUT_OF_GAS;
  state.setStorage(frame.address, slot, value);
}

export function tload(frame: Frame, execution: Execution): void {
  frame.push(toWord(execution.state.getTransientStorage(frame.address, toBigint(frame.pop()))));
}

export function tstore(frame: Frame, execution: Execution): void {
  if (frame.invocation.isStatic) throw STATIC_VIOLATION;
  const slot = toBigint(frame.pop());
  execution.state.setTransientStorage(frame.address, slot, toBigint(frame.pop()));
}
