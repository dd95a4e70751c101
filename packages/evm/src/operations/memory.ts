import { OUT_OF_GAS, RETURN_DATA_RANGE } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import type { GasSchedule } from "../gas-schedule.js";
import { memoryNeed } from "../memory.js";
import { toAddress, toClampedNumber, toSigned } from "../words.js";
import { chargeAccount } from "./account-access.js";

// Opcodes that access memory, with their gas: spec/04 §3.2, §3.3.

function wordsOf(size: number): number {
  return Math.ceil(size / 32);
}

/** Charges for an access: memory growth plus `perWord` for each word. */
export function chargeAccess(frame: Frame, costs: GasSchedule, offset: number, size: number, perWord: number): void {
  frame.gas -= frame.memory.expansionGas(memoryNeed(offset, size), costs) + perWord * wordsOf(size);
  if (frame.gas < 0) throw OUT_OF_GAS;
}

export function sha3(frame: Frame, { costs }: Execution): void {
  const offset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, costs, offset, size, costs.keccakWord);
  frame.push(frame.memory.hash(offset, size));
}

export function mstore8(frame: Frame, { costs }: Execution): void {
  const offset = toClampedNumber(frame.pop());
  const value = frame.pop();
  chargeAccess(frame, costs, offset, 1, 0);
  frame.memory.grow(offset + 1);
  frame.memory.bytes[offset] = Number(BigInt.asUintN(8, toSigned(value)));
}

export function mcopy(frame: Frame, { costs }: Execution): void {
  const target = toClampedNumber(frame.pop());
  const source = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, costs, Math.max(target, source), size, costs.copyWord);
  if (size === 0) return;
  frame.memory.grow(Math.max(target, source) + size);
  frame.memory.bytes.copyWithin(target, source, source + size);
}

/** Pops target, source offset and size, charges, and copies from `source`; bytes beyond its end are zero. */
function copyToMemory(frame: Frame, { costs }: Execution, source: Uint8Array): void {
  const target = toClampedNumber(frame.pop());
  const sourceOffset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, costs, target, size, costs.copyWord);
  frame.memory.copyIn(target, size, source, sourceOffset);
}

export function callDataCopy(frame: Frame, execution: Execution): void {
  copyToMemory(frame, execution, frame.invocation.input);
}

export function codeCopy(frame: Frame, execution: Execution): void {
  copyToMemory(frame, execution, frame.invocation.code.bytes);
}

export function extCodeCopy(frame: Frame, execution: Execution): void {
  const target = toAddress(frame.pop());
  chargeAccount(frame, execution, target);
  const memoryOffset = toClampedNumber(frame.pop());
  const codeOffset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, execution.costs, memoryOffset, size, execution.costs.copyWord);
  frame.memory.copyIn(memoryOffset, size, execution.state.getCode(target), codeOffset);
}

export function returnDataCopy(frame: Frame, { costs }: Execution): void {
  const target = toClampedNumber(frame.pop());
  const sourceOffset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, costs, target, size, costs.copyWord);
  if (sourceOffset + size > frame.returnData.length) throw RETURN_DATA_RANGE;
  frame.memory.copyIn(target, size, frame.returnData, sourceOffset);
}

/** RETURN, or REVERT if `status` is "reverted". */
export function halt(frame: Frame, { costs }: Execution, status: "stopped" | "reverted"): void {
  const offset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, costs, offset, size, 0);
  frame.output = frame.memory.read(offset, size);
  frame.status = status;
}
