import { keccak256 } from "@cambium/primitives";
import { OUT_OF_GAS, RETURN_DATA_RANGE } from "../errors.js";
import type { Execution } from "../execution.js";
import type { Frame } from "../frame.js";
import { memoryNeed } from "../memory.js";
import { fromBytes, toAddress, toClampedNumber, toSigned } from "../words.js";
import { chargeAccount } from "./account-access.js";

// Opcodes that access memory, with their gas: spec/04 §3.2, §3.3.

export function wordsOf(size: number): number {
  return Math.ceil(size / 32);
}

/** Charges for an access: memory growth plus `gasPerWord` for each word. */
export function chargeAccess(frame: Frame, offset: number, size: number, gasPerWord: number): void {
  frame.gas -= frame.memory.expansionGas(memoryNeed(offset, size)) + gasPerWord * wordsOf(size);
  if (frame.gas < 0) throw OUT_OF_GAS;
}

const GAS_KECCAK_WORD = 6;
const GAS_COPY_WORD = 3;

export function sha3(frame: Frame): void {
  const offset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, offset, size, GAS_KECCAK_WORD);
  frame.push(fromBytes(keccak256(frame.memory.peek(offset, size))));
}

export function mstore8(frame: Frame): void {
  const offset = toClampedNumber(frame.pop());
  const value = frame.pop();
  chargeAccess(frame, offset, 1, 0);
  frame.memory.grow(offset + 1);
  frame.memory.bytes[offset] = Number(BigInt.asUintN(8, toSigned(value)));
}

export function mcopy(frame: Frame): void {
  const target = toClampedNumber(frame.pop());
  const source = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, Math.max(target, source), size, GAS_COPY_WORD);
  if (size === 0) return;
  frame.memory.grow(Math.max(target, source) + size);
  frame.memory.bytes.copyWithin(target, source, source + size);
}

/** Pops target, source offset and size, charges, and copies from `source`; bytes beyond its end are zero. */
function copyToMemory(frame: Frame, source: Uint8Array): void {
  const target = toClampedNumber(frame.pop());
  const sourceOffset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, target, size, GAS_COPY_WORD);
  frame.memory.copyIn(target, size, source, sourceOffset);
}

export function callDataCopy(frame: Frame): void {
  copyToMemory(frame, frame.invocation.input);
}

export function codeCopy(frame: Frame): void {
  copyToMemory(frame, frame.invocation.code.bytes);
}

export function extCodeCopy(frame: Frame, execution: Execution): void {
  const target = toAddress(frame.pop());
  chargeAccount(frame, execution, target);
  const memoryOffset = toClampedNumber(frame.pop());
  const codeOffset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, memoryOffset, size, GAS_COPY_WORD);
  frame.memory.copyIn(memoryOffset, size, execution.state.getCode(target), codeOffset);
}

export function returnDataCopy(frame: Frame): void {
  const target = toClampedNumber(frame.pop());
  const sourceOffset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, target, size, GAS_COPY_WORD);
  if (sourceOffset + size > frame.returnData.length) throw RETURN_DATA_RANGE;
  frame.memory.copyIn(target, size, frame.returnData, sourceOffset);
}

/** RETURN, or REVERT if `status` is "reverted". */
export function halt(frame: Frame, status: "stopped" | "reverted"): void {
  const offset = toClampedNumber(frame.pop());
  const size = toClampedNumber(frame.pop());
  chargeAccess(frame, offset, size, 0);
  frame.output = frame.memory.read(offset, size);
  frame.status = status;
}
